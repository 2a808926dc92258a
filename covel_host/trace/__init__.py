"""Session and trace events: their closed list, the ordered log of a turn, redaction, the tree.

A trace explains a turn to a person; it decides nothing, and nothing secret enters it.
"""
