"""How well `decide/retrieval/question_similarity` tells questions asked again from near misses, by threshold: run by
hand.

python -m measure.alike
"""

from __future__ import annotations

import sys

from bot.decide.retrieval.question_similarity import NEAR, compute_similarity  # the path is set above
from tests.decide.alike_pairs import OTHER, SAME  # the path is set above


def _say(*words: str) -> None:
    sys.stdout.write(" | ".join(words) + "\n")


def main() -> None:
    """Print how many of each kind are taken for the same at each threshold, and what is mistaken at the one in use."""
    same, other = ([(compute_similarity(*pair), pair) for pair in pairs] for pairs in (SAME, OTHER))
    _say("threshold  same found  near misses taken")
    for percent in range(50, 101, 5):
        found, taken = (sum(near >= percent / 100 for near, _ in pairs) for pairs in (same, other))
        _say(f"{percent / 100:9.2f}  {found:4} of {len(same)}  {taken:4} of {len(other)}")
    for near, pair in [(n, p) for n, p in same if n < NEAR] + [(n, p) for n, p in other if n >= NEAR]:
        _say(f"{near:.2f}", *pair)


if __name__ == "__main__":
    main()
