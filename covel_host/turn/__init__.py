"""One execution from admission to commit.

Sessions, locks, grants, the selection of runtimes, layers, events, setup, interactions, jobs,
suspensions and snapshots live here. Modules named `schedule*` hold the pure part: what runs
next, decided from declarations and outcomes alone, without await, I/O or clock.
"""
