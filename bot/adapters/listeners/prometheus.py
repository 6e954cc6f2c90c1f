"""Figures of the process in Prometheus' text format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from prometheus_client.core import Metric

    from bot.models.process_figures import Histogram, JobFigures, ProcessFigures

CONTENT_TYPE = CONTENT_TYPE_LATEST


def render_figures(figures: ProcessFigures) -> bytes:
    """Render the figures, and memory, CPU time and open files of the process."""
    registry = CollectorRegistry()
    registry.register(_Figures(figures))
    ProcessCollector(registry=registry)
    return generate_latest(registry)


class _Figures(Collector):
    """The figures of one moment, as metrics."""

    def __init__(self, figures: ProcessFigures) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        figures = self._figures
        yield _by_label("triage_open_threads", "Threads that are not closed.", "status", figures.open_threads.items())
        yield GaugeMetricFamily("triage_cards_waiting", "Cards that wait for a decision.", figures.cards_waiting)
        yield _by_label("triage_waiting", "Work that waits for the bot.", "queue", figures.waiting.items())
        yield GaugeMetricFamily(
            "triage_oldest_waiting_seconds",
            "Age of the oldest question that waits for a draft, but for longer runs and created tasks.",
            figures.oldest_seconds,
        )
        effects = CounterMetricFamily("triage_effects", "Ended effects.", labels=("kind", "outcome"))
        for (kind, outcome), count in figures.effects.items():
            effects.add_metric((kind, outcome), count)
        yield effects
        yield CounterMetricFamily("triage_replies_posted", "Replies that were posted.", figures.replies_posted)
        yield _histogram("triage_ack_seconds", "Time from a payload of Slack to its acknowledgement.", figures.acks)
        yield _by_label(
            "triage_cost_today_usd",
            "US dollars that agents have cost this day (UTC).",
            "agent",
            figures.usd_today.items(),
        )
        if figures.usd_cap is not None:
            yield GaugeMetricFamily("triage_cost_cap_usd", "US dollars that agents may cost today.", figures.usd_cap)
        yield GaugeMetricFamily("triage_slack_connected", "1 while Slack can deliver.", float(figures.connected))
        yield GaugeMetricFamily(
            "triage_event_loop_late_seconds", "Lateness of the event loop.", figures.loop_late_seconds
        )
        if figures.jobs:
            yield from _collect_jobs(figures.jobs)


def _collect_jobs(jobs: JobFigures) -> Iterator[Metric]:
    states = {"waiting": jobs.waiting, "running": jobs.running}
    yield _by_label("triage_jobs", "Investigations and validations of all replicas.", "state", states.items())
    yield GaugeMetricFamily(
        "triage_oldest_job_seconds", "Age of the oldest job that no worker has claimed.", jobs.oldest_seconds
    )
    ended = CounterMetricFamily("triage_jobs_ended", "Ended jobs.", labels=("kind", "outcome"))
    for labels, count in jobs.ended.items():
        ended.add_metric(labels, count)
    yield ended


def _by_label(name: str, text: str, label: str, values: Iterable[tuple[str, float]]) -> GaugeMetricFamily:
    metric = GaugeMetricFamily(name, text, labels=(label,))
    for key, value in values:
        metric.add_metric((key,), value)
    return metric


def _histogram(name: str, text: str, histogram: Histogram) -> HistogramMetricFamily:
    buckets, count = list[tuple[str, float]](), 0
    for bound, each in zip((*map(str, histogram.bounds), "+Inf"), histogram.counts, strict=True):
        count += each
        buckets.append((bound, count))
    return HistogramMetricFamily(name, text, buckets=buckets, sum_value=histogram.total)
