"""Packages on their way from a folder to a running host.

`folders` and `discovery` find package folders without reading or importing anything. The other
modules load trusted packages into generations, and hold the immutable sets of generations that
executions keep from start to end. Nothing here knows a package by name.
"""
