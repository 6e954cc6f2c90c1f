"""Weights of the keyword engine's certainty. Written by `measure/keyword/calibrate.py --write`."""

from __future__ import annotations

LEAST = 0.66
"""The chance from which on a place is offered as an answer."""
INTERCEPT = -2.493
WEIGHTS = {
    "share": 1.625,
    "title": 1.088,
    "held": 2.568,
    "nowhere": -1.212,
    "all_there": 0.195,
    "one_word": 0.556,
    "named": 0.190,
    "value": 1.280,
    "told": -0.745,
    "margin": 0.666,
    "headed": 1.051,
}
"""By the names of `Certainty.signals`."""
