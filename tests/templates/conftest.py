"""The program, called as in the tests of the command line."""

from tests.cli.conftest import covel, home

__all__ = ["covel", "home"]
