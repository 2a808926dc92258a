"""The tools the framework brings, one module each."""
