"""JSON Schemas compiled and checked: no network, no files, linear patterns, own messages."""
