"""What the interpreter is set to, seen in a separate process with threads that allocate side by side."""

from __future__ import annotations

import asyncio
import gc
import platform
import subprocess
import sys
import weakref

import pytest

from bot.runtime.process_tuning import keep_tidy

THREADS = """
import ctypes, sys, threading
from bot.runtime import process_tuning as interpreter

if sys.argv[1] == "settled":
    interpreter.tune_interpreter()
together = threading.Barrier(4)
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p

def work():
    together.wait()
    for _ in range(100):
        libc.malloc(10_000)
    together.wait()

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sys.getswitchinterval())
libc.malloc_stats()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the GNU C library's heaps")
@pytest.mark.parametrize(("how", "interval", "one_heap"), [("settled", 0.001, True), ("as it is", 0.005, False)])
def test_threads_share_one_heap_and_the_loop_waits_a_millisecond(how: str, interval: float, one_heap: bool) -> None:
    """Unlike in an interpreter that nobody has set."""
    done = subprocess.run([sys.executable, "-c", THREADS, how], capture_output=True, text=True, check=True)
    assert float(done.stdout) == interval
    assert (done.stderr.count("Arena ") == 1) is one_heap


def test_garbage_is_collected_again_once_the_start_is_over() -> None:
    """A bot that runs for months needs that."""
    steps = "import gc; from bot.runtime import process_tuning as p; is_on = gc.isenabled; "
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            steps + "p.postpone_garbage_collection(); print(is_on()); p.freeze_startup_objects(); print(is_on())",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize(("is_quiet", "is_gone"), [(True, True), (False, False)])
async def test_objects_that_refer_to_each_other_are_collected_while_nothing_waits(
    is_quiet: bool, is_gone: bool
) -> None:
    """A collection is a pause, which an ack would wait for."""
    looks = asyncio.Queue[None]()

    def look() -> bool:
        looks.put_nowait(None)
        return is_quiet

    class Ring:
        """An object that refers to itself."""

    ring = Ring()
    ring.itself = ring  # type: ignore[attr-defined]  # any attribute
    known = weakref.ref(ring)
    del ring
    gc.disable()
    tidying = asyncio.create_task(keep_tidy(look, every=0.0))
    for _ in range(2):  # the second look comes after the collection of the first
        await looks.get()
    tidying.cancel()
    gc.enable()
    assert (known() is None) is is_gone
