"""What a package asks of the Python environment, and what of it is not met."""

from covel_host.manifest.reading import PackageReading


def python_needs(reading: PackageReading) -> list[tuple[str, str | None]]:
    """Each need, with what is wrong and what to do; `None` where it is met."""
    needs = None if reading.manifest is None else reading.manifest.python
    if needs is None:
        return []
    # Imported here: few packages state such needs.
    from covel_host.catalog.requirements import unmet_requirements

    unmet = {
        found.path: " ".join(filter(None, (found.message, found.hint)))
        for found in unmet_requirements(reading)
    }
    stated = [] if needs.requires is None else [("python.requires", f"Python {needs.requires}")]
    stated += [
        (f"python.dependencies.{place}", text) for place, text in enumerate(needs.dependencies)
    ]
    return [(text, unmet.get(path)) for path, text in stated]
