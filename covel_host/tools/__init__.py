"""Tool calls: from the argument text a model wrote to the JSON object it reads back.

Pure rules: `arguments` (repair and parsing), `envelope` (what the model reads), with their parts in
`arguments_*` and `envelope_*`; `pools` (which calls of one reply may run together).
"""
