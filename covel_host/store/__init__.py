"""The database of one instance: tables, migrations, transactions, rows versioned by revision.

`store.store` opens it, `store.transaction` is what a transaction body gets, and one module per
table group (`sessions`, `turns`, `messages`, `tool_calls`, `traces`, `plugin_data`) holds the row
functions, each a plain function that takes the transaction or the reading first.
"""
