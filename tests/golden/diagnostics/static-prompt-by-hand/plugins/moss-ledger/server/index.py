from .parts import *  # noqa: F403
