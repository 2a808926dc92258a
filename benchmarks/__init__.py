"""Measured side by side: each figure beside a named floor and peers, as ratios of one run."""
