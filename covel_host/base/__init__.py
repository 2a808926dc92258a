"""What every room stands on: errors, clock, random streams, IDs, JSON, paths, given-up tasks."""
