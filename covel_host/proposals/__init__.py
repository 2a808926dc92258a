"""The one way to write: proposals checked, staged, shown in a view, and committed together.

`staged` is the gate every proposal passes, `staging` the buffer of one runtime run, `overlay` the
view of stored and staged plugin data, `commit` the transaction body that writes an execution. The
rules in `plugin_data_rules` serve the view and the commit alike. Package code is never called here.
"""
