"""The settings of one process, read once from environment, `settings.toml` and command line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from covel_host.base.errors import HostError
from covel_host.catalog.folders import PluginFolder, home_folder, plugin_folders
from covel_host.catalog.trust import TrustPolicy

SETTINGS_FILE = "settings.toml"


class SettingsError(HostError):
    """A setting that cannot be used; the message names where it was written."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, code="invalid-setting", hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a host is opened with (docs/settings.md).

    `working_directory` is that of the call: code of packages may change it later. `environ` is kept
    for the rooms that read their own variables from it, such as model slots.
    """

    home: Path
    working_directory: Path
    folders: tuple[PluginFolder, ...]
    trust: TrustPolicy
    locale: str
    random_seed: int | None
    environ: Mapping[str, str] = field(repr=False)

    @property
    def database(self) -> Path:
        """The database file."""
        return self.home / "covel.db"

    @property
    def load_results(self) -> Path:
        """Where the last load of each package is remembered."""
        return self.home / "cache" / "load-results.json"


def read_settings(
    environ: Mapping[str, str],
    *,
    extra_folders: Sequence[Path] = (),
    trust: Sequence[str] = (),
    locale: str | None = None,
) -> Settings:
    """The settings of this call; what the command line says goes before the environment.

    Args:
        extra_folders: folders of packages, or packages, named on the command line.
        trust: package IDs named with `--trust`.
        locale: `--locale`.

    Raises:
        SettingsError: a variable or the settings file holds something that cannot be used.
    """
    home = home_folder(environ)
    return Settings(
        home=home,
        working_directory=working_directory(),
        folders=plugin_folders(environ, extra=extra_folders),
        trust=TrustPolicy(_trusted(environ, home, trust)),
        locale=locale or environ.get("COVEL_LOCALE") or "en",
        random_seed=_seed(environ),
        environ=environ,
    )


def working_directory() -> Path:
    """The working directory as an absolute path, or `.` where it has been removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path()


def _trusted(environ: Mapping[str, str], home: Path, named: Sequence[str]) -> dict[str, str]:
    """Trusted package IDs with where they were named; the nearest place wins."""
    variable = environ.get("COVEL_TRUST", "").replace(",", " ").split()
    return {
        **dict.fromkeys(_trusted_in_file(home / SETTINGS_FILE), SETTINGS_FILE),
        **dict.fromkeys(variable, "COVEL_TRUST"),
        **dict.fromkeys(named, "--trust"),
    }


def _trusted_in_file(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{str(path)!r} cannot be read: {error}.") from error
    # Most homes have no such file, and every command reads settings.
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{str(path)!r} cannot be read: {error}.") from error
    unknown = sorted(set(document) - {"trusted"})
    if unknown:
        raise SettingsError(
            f"{str(path)!r} holds the unknown setting {unknown[0]!r}.",
            hint="Known settings: trusted (a list of package IDs).",
        )
    trusted = document.get("trusted", [])
    if not isinstance(trusted, list) or not all(isinstance(name, str) for name in trusted):
        raise SettingsError(
            f"{str(path)!r}: trusted is {trusted!r}; a list of package IDs is expected, "
            'such as ["echo-demo"].'
        )
    return trusted


def _seed(environ: Mapping[str, str]) -> int | None:
    text = environ.get("COVEL_RANDOM_SEED")
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise SettingsError(f"COVEL_RANDOM_SEED is {text!r}; a whole number is expected.") from None
