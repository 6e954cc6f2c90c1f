"""Reading of a Dockerfile: what each instruction leaves, and what is refused."""

from __future__ import annotations

import pytest

from measure.bare_root.dockerfile import Copy, Health, Run, Stage, Surroundings, Unknown, read_stages

BEGUN = Surroundings({"PATH": "/bin"}, "root", "/")

TEXT = """\
# syntax is of no interest
FROM python:3.13-slim AS build
WORKDIR /src
COPY . .
RUN one \\
    # between the lines
    && two

FROM python:3.13-slim
COPY --from=build /opt/a /opt/b /opt/
ENV PATH=/opt/bin:$PATH \\
    TEXT="two words"
USER 10001
RUN three
VOLUME ["/state"]
HEALTHCHECK --interval=1m --timeout=10s --retries=2 CMD ["triage", "alive"]
ENTRYPOINT ["triage"]
CMD ["run"]
"""


def test_each_step_has_the_surroundings_of_its_line() -> None:
    """And the stage those of its last line."""
    build, image = read_stages(TEXT, {"PATH": "/bin"})
    in_src = Surroundings({"PATH": "/bin"}, "root", "/src")
    assert build == Stage(
        "python:3.13-slim", "build", (Copy((".",), ".", "", in_src), Run("one && two", in_src)), in_src
    )
    around = Surroundings({"PATH": "/opt/bin:/bin", "TEXT": "two words"}, "10001", "/")
    assert image == Stage(
        "python:3.13-slim",
        "",
        (Copy(("/opt/a", "/opt/b"), "/opt/", "build", BEGUN), Run("three", around)),
        around,
        volumes=("/state",),
        health=Health(("triage", "alive"), interval=60, timeout=10, retries=2),
        entrypoint=("triage",),
        arguments=("run",),
    )


@pytest.mark.parametrize(
    "line",
    [
        "ADD a b",
        'SHELL ["/bin/bash"]',
        "run echo",
        "RUN <<END",
        "RUN --mount=type=cache,target=/x true",
        'RUN ["true"]',
        "COPY --chown=1 a b",
        "COPY a",
        "ENV NAME value",
        "ENV PATH=$UNKNOWN",
        "USER $NAME",
        "WORKDIR src",
        "VOLUME /state",
        "HEALTHCHECK NONE",
        'HEALTHCHECK --start-interval=1s CMD ["true"]',
        "HEALTHCHECK CMD true",
        "ENTRYPOINT triage",
        "CMD [1]",
        "FROM --platform=linux/amd64 python",
        "FROM python build",
    ],
)
def test_what_it_does_not_know_is_refused_with_the_line(line: str) -> None:
    """A step that is left out is one that nobody tried."""
    with pytest.raises(Unknown, match="line 3: "):
        read_stages(f"FROM python\n\n{line}", {})


def test_a_step_before_the_first_stage_is_refused() -> None:
    """There is nothing that it could build on."""
    with pytest.raises(Unknown, match="line 1"):
        read_stages("RUN true", {})
