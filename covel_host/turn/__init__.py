"""One execution from admission to commit.

`execution` plays it: `admission` finds what a request names, `sessions` and `session_locks` give it
its session, `facts` and `records` make what is committed, `session_events` lists what its packages
declare, `announcer` tells an observer. Modules named `schedule*` hold the pure part: what runs
next, decided from declarations and outcomes alone, without await, I/O or clock.

Beside executions: `actions` runs an RPC action, `commands` a player's line, `answering` stores
answers. All hold the same locks; modules named `action_*`, `command_*`, `answer_*` are their parts.
"""
