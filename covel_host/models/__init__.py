"""The gateway to language models: slots, the call itself, and the models that need no network.

`slots` says which model answers for a task and where each setting comes from, `gateway` carries one
call to it within its limits and on to its fallbacks, `offline` and `scripted` answer without a
network. Only `pydantic_ai_adapter`, `embedding_adapter` and the `wire_` modules beside them import
provider libraries, and only a real provider imports those modules.
"""
