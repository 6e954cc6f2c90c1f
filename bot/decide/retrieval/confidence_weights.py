"""Weights of the keyword engine's confidence. Written by `measure/keyword/calibrate.py --write`."""

from __future__ import annotations

LEAST = 0.66
"""Minimum probability for offering a passage as an answer."""
INTERCEPT = -2.729
WEIGHTS = {
    "share": 1.473,
    "title": 0.846,
    "held": 2.581,
    "nowhere": -1.360,
    "all_there": 0.393,
    "one_word": -0.078,
    "named": 0.188,
    "value": 1.430,
    "told": -0.527,
    "margin": 0.856,
    "headed": 0.660,
}
"""Weights by signal name."""
