"""Tool calls: from the argument text a model wrote to the JSON object it reads back.

`executor` is the one path of every call, `registry` says which tool a name means, `calls` holds the
facts, `builtin` the framework's own tools, `dataset_tools` those made from declared data sets, with
their parts in `dataset_*`, `service_tools` those made of imported services, `tool_search` those a
runtime deferred. Ports that upper rooms fill: `event_directory`, `subagents`. Pure rules:
`arguments` (repair and parsing), `envelope` (what the model reads), with their parts in
`arguments_*` and `envelope_*`; `call_audit` (what the record keeps of a result that is no JSON);
`pools` (which calls of one reply may run together).
"""
