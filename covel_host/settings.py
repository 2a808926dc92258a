"""The settings of one process, read once from environment, `settings.toml` and command line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from covel_host.base.errors import HostError
from covel_host.base.regular_files import read_regular_file
from covel_host.catalog.folders import (
    PluginFolder,
    bundled_folders,
    home_folder,
    plugin_folders,
)
from covel_host.catalog.trust import LASTING, TrustPolicy
from covel_host.catalog.trust_records import Records, TrustFile

if TYPE_CHECKING:
    # Every command reads settings, and most homes have no rules.
    from covel_host.tools.approval import ApprovalRule

SETTINGS_FILE = LASTING

MIN_WINDOW_TOKENS = 256
"""Below that no prompt fits."""


DEFAULT_SUSPENSION_TTL = timedelta(days=7)


class SettingsError(HostError):
    """A setting that cannot be used; the message names where it was written."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, code="invalid-setting", hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a host is opened with (docs/settings.md).

    `working_directory` is that of the call: code of packages may change it later. `is_safe` says
    that `folders` are the bundled ones alone. `tool_rules` allow and deny tools: the first one that
    fits decides. `window_cap_tokens` can only lower the models' context windows. Runs that wait for
    an answer are given up after `suspension_ttl`, never without one. `environ` is kept for the
    rooms that read their own variables from it, such as model slots.
    """

    home: Path
    working_directory: Path
    folders: tuple[PluginFolder, ...]
    trust: TrustPolicy
    is_safe: bool = False
    locale: str
    random_seed: int | None
    auto_snapshots_kept: int
    window_cap_tokens: int | None = None
    suspension_ttl: timedelta | None = DEFAULT_SUSPENSION_TTL
    tool_rules: "tuple[ApprovalRule, ...]" = ()
    environ: Mapping[str, str] = field(repr=False)

    @property
    def database(self) -> Path:
        """The database file."""
        return self.home / "covel.db"

    @property
    def media(self) -> Path:
        """The folder of media files."""
        return self.home / "media"

    @property
    def load_results(self) -> Path:
        """Where the last load of each package is remembered."""
        return self.home / "cache" / "load-results.json"

    @property
    def trust_file(self) -> Path:
        """Where the instance's grants are kept."""
        return trust_file(self.home)


def read_settings(
    environ: Mapping[str, str],
    *,
    extra_folders: Sequence[Path] = (),
    trust: Sequence[str] = (),
    locale: str | None = None,
    is_safe: bool = False,
) -> Settings:
    """The settings of this call; what the command line says goes before the environment.

    Args:
        extra_folders: folders of packages, or packages, named on the command line.
        trust: package IDs named with `--trust`.
        locale: `--locale`.
        is_safe: `--safe`: bundled packages only.

    Raises:
        SettingsError: a variable or the settings file holds something that cannot be used.
        TrustFileError: the file of grants cannot be used.
    """
    home = home_folder(environ)
    written = read_settings_file(home / SETTINGS_FILE)
    grants = TrustFile(trust_file(home))
    records = grants.read()
    folders = plugin_folders(environ, extra=extra_folders, disabled=written.disabled)
    return Settings(
        home=home,
        working_directory=working_directory(),
        folders=bundled_folders(folders) if is_safe else folders,
        trust=TrustPolicy(_trusted(environ, written, records, trust), records=records, file=grants),
        is_safe=is_safe,
        locale=locale or environ.get("COVEL_LOCALE") or "en",
        random_seed=_seed(environ),
        auto_snapshots_kept=_snapshots_kept(environ),
        window_cap_tokens=_window_cap(environ),
        suspension_ttl=_suspension_ttl(environ),
        tool_rules=_tool_rules(environ, written),
        environ=environ,
    )


def working_directory() -> Path:
    """The working directory as an absolute path, or `.` where it has been removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path()


def trust_file(home: Path) -> Path:
    """The file of grants in `home`."""
    return home / "trust.json"


@dataclass(frozen=True, slots=True)
class WrittenSettings:
    """What stands in `settings.toml`.

    IDs of trusted packages, IDs of bundled ones that are off, and rules for tools.
    """

    trusted: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


def read_settings_file(path: Path) -> WrittenSettings:
    """The settings written in the file at `path`, empty where there is none.

    Raises:
        SettingsError: the file cannot be read, or holds something that cannot be used.
    """
    try:
        text = read_regular_file(path).decode("utf-8")
    except FileNotFoundError:
        return WrittenSettings()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{str(path)!r} cannot be read: {error}.") from error
    return parse_settings(text, str(path))


def parse_settings(text: str, shown: str) -> WrittenSettings:
    """The settings that `text` holds; `shown` is the file's name in an error.

    Raises:
        SettingsError: as `read_settings_file`.
    """
    # Most homes have no such file, and every command reads settings.
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{shown!r} cannot be read: {error}.") from error
    known = [entry.name for entry in fields(WrittenSettings)]
    unknown = sorted(set(document) - set(known))
    if unknown:
        raise SettingsError(
            f"{shown!r} holds the unknown setting {unknown[0]!r}.",
            hint="Known settings: trusted and disabled (each a list of package IDs), and tools "
            "(a list of rules).",
        )
    return WrittenSettings(*(_texts(document.get(name, []), name, shown) for name in known))


def _texts(value: object, name: str, shown: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        expected = (
            'a list of rules is expected, such as ["deny render-ui"]'
            if name == "tools"
            else 'a list of package IDs is expected, such as ["echo-demo"]'
        )
        raise SettingsError(f"{shown!r}: {name} is {value!r}; {expected}.")
    return tuple(value)


def _tool_rules(environ: Mapping[str, str], written: WrittenSettings) -> "tuple[ApprovalRule, ...]":
    """The rules for tools, those of the environment before those of the file."""
    variable = [text for text in environ.get("COVEL_TOOL_RULES", "").split(",") if text.strip()]
    return (
        *(_rule(text, "COVEL_TOOL_RULES") for text in variable),
        *(_rule(text, f"{SETTINGS_FILE}, tools") for text in written.tools),
    )


def _rule(text: str, place: str) -> "ApprovalRule":
    from covel_host.tools.approval import RuleUnreadable, parse_rule

    try:
        return parse_rule(text)
    except RuleUnreadable as error:
        raise SettingsError(f"{place}: {error}") from None


def _trusted(
    environ: Mapping[str, str], written: WrittenSettings, records: Records, named: Sequence[str]
) -> dict[str, str]:
    """Trusted package IDs with where they were named; the nearest place wins.

    What ended a package's trust goes before the file, which was written for good, and not before
    what was said for this call.
    """
    ended = {plugin_id for plugin_id, record in records.items() if record.ended is not None}
    lasting = [plugin_id for plugin_id in written.trusted if plugin_id not in ended]
    variable = environ.get("COVEL_TRUST", "").replace(",", " ").split()
    return {
        **dict.fromkeys(lasting, SETTINGS_FILE),
        **dict.fromkeys(variable, "COVEL_TRUST"),
        **dict.fromkeys(named, "--trust"),
    }


def _seed(environ: Mapping[str, str]) -> int | None:
    text = environ.get("COVEL_RANDOM_SEED")
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise SettingsError(f"COVEL_RANDOM_SEED is {text!r}; a whole number is expected.") from None


def _snapshots_kept(environ: Mapping[str, str]) -> int:
    text = environ.get("COVEL_AUTO_SNAPSHOT_RETENTION") or "20"
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise SettingsError(
            f"COVEL_AUTO_SNAPSHOT_RETENTION is {text!r}; a whole number of at least 1 is expected."
        )
    return int(text)


def _window_cap(environ: Mapping[str, str]) -> int | None:
    text = environ.get("COVEL_COMPACTOR_CONTEXT_WINDOW")
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < MIN_WINDOW_TOKENS:
        raise SettingsError(
            f"COVEL_COMPACTOR_CONTEXT_WINDOW is {text!r}; a whole number of tokens of at least "
            f"{MIN_WINDOW_TOKENS} is expected."
        )
    return int(text)


def _suspension_ttl(environ: Mapping[str, str]) -> timedelta | None:
    text = environ.get("COVEL_SUSPENSION_TTL_MS")
    if not text:
        return DEFAULT_SUSPENSION_TTL
    if not text.isascii() or not text.isdigit() or int(text) > _MAX_TTL_MS:
        raise SettingsError(
            f"COVEL_SUSPENSION_TTL_MS is {text!r}; a whole number of milliseconds is expected, 0 "
            f"for never, at most {_MAX_TTL_MS}."
        )
    return timedelta(milliseconds=int(text)) if int(text) else None


_MAX_TTL_MS = 100 * 365 * 86_400_000
"""A hundred years; times of thousands could not be reckoned with."""
