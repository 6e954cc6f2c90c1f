"""Check of the returns: `python check.py`."""

import runpy

returns = runpy.run_path("returns.py")
last = returns["RETURN_DAYS"]
assert returns["may_return"](last), f"a return on day {last} is refused, though the last day counts"
assert not returns["may_return"](last + 1), "a return after the last day is taken"
