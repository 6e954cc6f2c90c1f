"""Project fit: which of several projects a question's words are about."""

from __future__ import annotations

import pytest

from bot.decide.retrieval.project_fit import ProjectTermCounts, project_fits
from bot.decide.retrieval.query import build_query


def held(words: str, files: int, own: dict[str, int], terms: list[str]) -> ProjectTermCounts:
    """A project of so many files, so many of which hold each word."""
    return ProjectTermCounts(
        name_and_description=words,
        file_count=files,
        term_files=tuple(own.get(term, 0) for term in terms),
        synonym_files=(0,) * len(terms),
    )


@pytest.mark.parametrize(
    ("question", "projects", "best"),
    [
        ("how much does a parcel over 20 kg cost?", [("post", 8, {"parcel": 7}), ("web", 90, {"20": 40})], 0),
        (
            "how much does a parcel over 20 kg cost?",
            [("web", 90, {"20": 40, "cost": 1}), ("post", 8, {"parcel": 7})],
            1,
        ),
        ("is a parcel insured?", [("parcels", 8, {}), ("web", 90, {"parcel": 1})], 0),
        ("is a parcel insured?", [("web", 90, {"parcel": 1}), ("post, all about parcels", 8, {})], 1),
        ("where is the invoice printed?", [("web", 20, {"invoice": 1}), ("billing", 20, {"invoice": 15})], 1),
        ("where is the invoice printed?", [("web", 400, {"invoice": 2}), ("billing", 8, {"invoice": 3})], 1),
        ("is the zebra fed?", [("a", 5, {"zebra": 1}), ("b", 5, {"fed": 5}), ("c", 5, {"fed": 5})], 0),
    ],
)
def test_a_question_goes_to_the_project_that_its_telling_words_are_about(
    question: str, projects: list[tuple[str, int, dict[str, int]]], best: int
) -> None:
    """By the words that few projects hold, in the project where many files hold them; numbers say little."""
    terms = build_query(question).terms
    fits = project_fits(
        terms, [held(words, files, own, [term.word for term in terms]) for words, files, own in projects]
    )
    assert fits.index(max(fits)) == best


def test_words_that_stand_nowhere_fit_no_project() -> None:
    """Nor is anything divided by no projects, or by no files."""
    terms = build_query("where is the zebra?").terms
    assert project_fits(terms, [held("a", 0, {}, ["zebra"]), held("b", 3, {}, ["zebra"])]) == [0, 0]
    assert project_fits(terms, []) == []
