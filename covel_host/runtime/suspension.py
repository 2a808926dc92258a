"""What becomes of a run that asks to be suspended, whoever asked."""

from covel_host.runtime.result import RunFailure


def unserved_suspension(runtime_id: str) -> RunFailure:
    """The failure of a run that asked to wait for the player."""
    return RunFailure(
        "not-supported-yet",
        f"{runtime_id!r} asked to be suspended: this version of the host does not serve suspended "
        "runs yet.",
        "Ask with an interaction, and read the answer in a later run.",
    )
