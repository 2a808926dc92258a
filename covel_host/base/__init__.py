"""What every room stands on: errors, clock, random streams, IDs, JSON and storable text, paths.

Also what package code runs with: its cancellation signal, its log, its daemon threads, and the
tracker of tasks that were given up; and the refusal of what is not served yet.
"""
