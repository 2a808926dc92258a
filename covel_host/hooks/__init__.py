"""Life-cycle hooks: who is asked on an event, in which order, and what an answer may change.

The dispatcher knows neither runtimes nor turns: they hand it a payload and act on what comes back.
"""
