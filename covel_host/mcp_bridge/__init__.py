"""The tools of chosen packages, served to any MCP client over standard input and output.

`served_tools` says which tools and under which names, `calls` makes each call an execution of its
own, `answers` says what came of it, `server` speaks the protocol, `stdio` carries its messages.
Only `server` and `stdio` import the library of the extra `mcp`.
"""
