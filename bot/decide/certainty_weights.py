"""Weights of the keyword engine's certainty. Written by `measure/keyword/calibrate.py --write`."""

from __future__ import annotations

LEAST = 0.66
"""The chance from which on a place is offered as an answer."""
INTERCEPT = -2.428
WEIGHTS = {
    "share": 1.568,
    "title": 1.067,
    "held": 2.622,
    "nowhere": -1.237,
    "all_there": 0.210,
    "one_word": 0.616,
    "named": 0.191,
    "value": 1.233,
    "told": -0.816,
    "margin": 0.613,
    "headed": 0.668,
}
"""By the names of `Certainty.signals`."""
