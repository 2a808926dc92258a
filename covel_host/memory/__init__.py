"""The memory of sessions: keyword search over what was said and what is known.

`system.MemorySystem` searches, `namespaces` tells which data of packages may be searched, `hits` is
what a search gives. Nothing here knows a package by name or calls package code.
"""
