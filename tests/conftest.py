"""Settings for every test."""

from hypothesis import settings

# Two loaded cores make single examples slow now and then; a deadline would fail at random.
settings.register_profile("covel", deadline=None)
settings.load_profile("covel")
