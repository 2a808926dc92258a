from plugin_sdk import hookimpl


@hookimpl
def on_load(covel):
    raise RuntimeError("the ledger is locked")
