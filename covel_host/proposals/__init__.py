"""The one way to write: proposals checked, staged, shown in a view, and committed together.

`staged` is the gate every proposal passes, `staging` the buffer of one runtime run, `overlay` the
view of stored and staged plugin data, `commit` the transaction body that writes an execution.
`handlers` is the table of types; each group of types has a module of rules, which serve the views
and the commit alike, and one of writes. Package code is never called here.
"""
