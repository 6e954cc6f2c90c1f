"""Validator: tries to refute a draft before a person sees it, in a fresh context (spec 1, 3.4).

It gets the question, the rubric, the findings and the results of code, never the investigator's transcript, and has one
tool, `read_file`. Its claims about its own work are checked: a spot-check of lines that it did not open does not count.
`decide/gate` makes the verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_args

from pydantic import StringConstraints

from bot.agents.evidence import cited_lines
from bot.agents.question import render_attachments, render_question
from bot.agents.run import Task
from bot.models.verdict import ValidatorReturn, Verdict
from bot.tools.file_tools import FileTools
from bot.tools.read_log import ReadLog
from prompts.render import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.agents.loop import Loop
    from bot.agents.run import Run
    from bot.agents.run_artifacts import RunArtifacts
    from bot.decide.limits import RunLimits
    from bot.models.verdict import Review
    from bot.ports.outbound import Clock
    from bot.tools.guard import Guard

NO_OVERLAP = "no_overlap"
UNREAD = "A draft whose answer may hang on it has to say so."
"""Instruction to a draft about files that were not read."""


_WITHOUT_COMPLAINT = {
    "spot_check_result": ("supports", "uncheckable"),
    "schema_check": ("ok",),
    "confidence_language_match": ("match",),
    "scope_drift": ("none",),
    "cross_investigation_consistency": ("consistent", NO_OVERLAP),
    "risk_gate_check": ("passes",),
    "tone_assessment": ("matches",),
}
"""Results of a verdict's checks that are no complaint."""


class ValidatorOutput(ValidatorReturn):
    """Form requested from the model; model name and time are set by code."""

    cross_investigation_consistency: Annotated[
        str, StringConstraints(pattern=r"^(consistent|no_overlap|contradicts_[A-Za-z0-9.-]{1,80})$")
    ]
    validator_model: str = ""
    validated_at: str = ""


@dataclass(frozen=True, kw_only=True)
class Validator:
    """Validator of drafts, on a model."""

    loop: Loop
    limits: RunLimits
    guard: Guard
    clock: Clock
    artifacts: RunArtifacts

    async def validate(self, review: Review) -> ValidatorReturn:
        """Validate a draft.

        Raises `Unreachable`, `OverCap` or `NoKey` when the model cannot be used, and another `TriageError` when there
        is not a verdict.
        """
        read_log = ReadLog()

        async def keep(run: Run[ValidatorOutput]) -> None:
            await self.artifacts.keep(
                "validation", run, read_log, task=review.task, round=review.findings.investigator_round
            )

        project = review.project
        reader = FileTools(root=project.root, guard=self.guard, read_log=read_log, ignore=project.ignore)
        run = await self.loop.run(
            Task(
                agent="validator",
                prompt=render("validator"),
                question=self._first_message(review),
                tools=[tool for tool in reader.tools if tool.name == "read_file"],
                form=ValidatorOutput,
                choose=choose_worst,
                limits=self.limits,
                thread_id=review.thread_id,
                parent_session_id=review.parent_session_id,
                keep=keep,
                journal=self.artifacts.journal(review.task, review.journal, self.clock, "validator"),
            )
        )
        fields = run.get_answer().model_dump()
        fields |= _correct_fields(review, fields, read_log)
        fields |= {"validator_model": self.loop.model.name, "validated_at": self.clock.now().isoformat()}
        return ValidatorReturn.model_validate(fields)

    def _first_message(self, review: Review) -> str:
        guard = self.guard
        checks = "\n".join(f"{check.ref}: {check.result}, {check.reason}" for check in review.checks)
        return render(
            "validator_task",
            question=render_question(guard, review.question, review.lines),
            beside=render_attachments(guard, shared=review.shared, unread=review.unread, advice=UNREAD),
            project=f"{review.project.name}: {review.project.description}".rstrip(": "),
            rubric=render(f"rubric_{review.question_type}"),
            findings=guard.wrap(review.findings.model_dump_json(indent=1), source="findings"),
            checks=guard.wrap(checks, source="evidence check") if checks else "There are none.",
            unsupported=guard.wrap("\n".join(review.unsupported), source="draft") if review.unsupported else "None.",
            others=guard.wrap("\n".join(review.others), source="other questions")
            if review.others
            else "None are shown: say no_overlap.",
        )


def choose_worst(verdicts: Sequence[ValidatorOutput]) -> ValidatorOutput:
    """Return the worst of several verdicts on one draft: the one with the most complaints among the worst."""

    def count_complaints(verdict: ValidatorOutput) -> tuple[int, int]:
        complaints = sum(getattr(verdict, name) not in good for name, good in _WITHOUT_COMPLAINT.items())
        return get_args(Verdict).index(verdict.verdict), complaints

    return max(verdicts, key=count_complaints)


def _correct_fields(review: Review, fields: dict[str, Any], read_log: ReadLog) -> dict[str, Any]:
    """Return the fields that code corrects. Complaints are kept; unproven praise is not."""
    corrections: dict[str, Any] = {}
    if not review.others:
        corrections["cross_investigation_consistency"] = NO_OVERLAP
    if fields["spot_check_result"] == "supports" and (why := _not_made(review, fields["spot_check_ref"], read_log)):
        corrections |= {"spot_check_result": "uncheckable", "spot_check_note": why}
    return corrections


def _not_made(review: Review, ref: str, read_log: ReadLog) -> str:
    """Return the reason why a spot-check does not count; empty for a valid one."""
    cited = next(
        (reference for reference in review.findings.evidence_refs if reference.ref == ref.strip().strip("`")), None
    )
    if cited is None:
        return "The validator names a reference that is not in the draft."
    place = cited_lines(cited.ref) if cited.kind == "file" and cited.commit is None else None
    if place is None:
        return "The validator cannot open such a reference."
    return "" if read_log.covers(*place) else "The validator did not open the lines that it says it checked."
