"""The gateway to language models: slots, the call itself, and the models that need no network.

`slots` says which model answers for a task and where each setting comes from, `gateway` carries one
call to it within its limits, `offline` and `scripted` answer without a network. Only
`pydantic_ai_adapter` imports a provider library, and only a real provider imports that module.
"""
