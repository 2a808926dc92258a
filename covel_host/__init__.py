"""The Covel kernel: it finds, checks, loads and runs packages and knows none of them by name."""

__version__ = "0.1.0"
