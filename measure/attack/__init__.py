"""Attacks on the product, a module per kind: `make attack` runs them and prints what `docs/security.md` sums up.

A module has `run(count)`, which makes about so many tries and returns one `Tally` or several; `COUNT` is how many
`make attack` asks for.
"""
