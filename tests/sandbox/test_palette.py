"""Screenshots made small: what a browser writes is read back pixel by pixel, and packed without another colour."""

from __future__ import annotations

import struct
import zlib

from scripts.palette import SIGNATURE, decoded, smaller

RED, BLUE, GREY = b"\xff\x00\x00", b"\x00\x00\xff", b"\x80\x80\x80"


def chunk(name: bytes, content: bytes) -> bytes:
    """A chunk with its sum."""
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def picture(*rows: bytes, width: int) -> bytes:
    """An RGB picture of filtered rows."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0))
    return SIGNATURE + header + chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")


def test_each_kind_of_row_is_read() -> None:
    """As it is, by its left, by the one above, by both, and by whichever is nearest."""
    same = b"\0\0\0"
    rows = (
        b"\x00" + RED + RED,
        b"\x01" + BLUE + same,
        b"\x02" + same + same,
        b"\x03" + bytes((128, 128, 128 - 127)) + bytes((64, 64, (128 - 191) % 256)),
        b"\x04" + same + same,
    )
    assert decoded(picture(*rows, width=2)) == (2, 5, [RED, RED, *[BLUE] * 4, *[GREY] * 4])


def test_a_small_picture_has_the_same_pixels() -> None:
    """A palette of its colours, and a place in it for each pixel."""
    made = smaller(picture(b"\0" + RED + RED + GREY, b"\0" + BLUE + RED + GREY, width=3))
    palette = made[made.index(b"PLTE") + 4 :][:9]
    data = made[made.index(b"IDAT") + 4 :]
    rows = zlib.decompressobj().decompress(data)
    colours = [palette[3 * place : 3 * place + 3] for place in rows[1:4] + rows[5:8]]
    assert colours == [RED, RED, GREY, BLUE, RED, GREY]


def test_more_colours_than_a_palette_has_become_their_nearest() -> None:
    """Nothing is refused, and a rare shade stays close to itself."""
    shades = [bytes((value, value, blue)) for value in range(256) for blue in (value, value)] + [b"\x00\x00\x01"]
    made = smaller(picture(b"\0" + b"".join(shades), width=len(shades)))
    rows = zlib.decompressobj().decompress(made[made.index(b"IDAT") + 4 :])
    palette = made[made.index(b"PLTE") + 4 :][:768]
    assert palette[3 * rows[-1] : 3 * rows[-1] + 3] == b"\x00\x00\x00"
