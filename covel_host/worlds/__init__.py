"""World packs: read, checked, and worked out as what a session begins with.

`reading.read_pack` reads a folder with `world.yaml` into typed models and problems with places;
`plan.plan_world` says, for one language and the packages at hand, which characters, lorebook
entries, dimensions and records a new session gets; `validation.validate_pack` does both for every
language. No package code runs here and nothing is stored.
"""
