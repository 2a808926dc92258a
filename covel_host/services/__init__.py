"""Calling services: the one path of every call of one package to another (spec/manifest.md 10.3).

`directory` knows who offers what, `calls` makes a call, `failures` says what its failing means.
Who calls and where writes go is told by a `Caller`; contexts and scopes of writes are made by the
rooms above, through the ports of `caller`.
"""
