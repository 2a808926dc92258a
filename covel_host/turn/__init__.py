"""One execution from admission to commit.

`execution` plays it: `admission` finds what a request names, `sessions` and `session_locks` give it
its session, `facts` and `records` make what is committed, `announcer` tells an observer. Modules
named `schedule*` hold the pure part: what runs next, decided from declarations and outcomes alone,
without await, I/O or clock.
"""
