"""Thin adapters from the vectors of `tests/cases/README.md` to the code under test.

One module per file of vectors. Its `CHECKS` maps the `kind` of a vector (`None` where the file has
no kinds) to a function that raises `AssertionError` when the code answers otherwise. An adapter
only translates: what a vector checks is decided by the code under test.
"""
