"""The texts of a package's code in its languages: `messages` of `locales/<locale>.yaml`."""

import re
from typing import Final

from covel_host.manifest.reading import PackageReading
from covel_host.manifest.rules.label_files import is_locale, read_label_files

_OF_INTERFACE: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*\|")


def package_messages(package: PackageReading) -> dict[str, dict[str, str]]:
    """Translations by locale and English text (spec/i18n.md 5), read from disk.

    What is wrong with a label file never stands in the way of a package: files that cannot be read
    and entries that are no texts are left out. So are entries with an attribute prefix
    (`label|Done`), which belong to interface specs.
    """
    return {
        file.locale: {
            source: text
            for source, text in file.messages.items()
            if isinstance(source, str)
            and isinstance(text, str)
            and _OF_INTERFACE.match(source) is None
        }
        for file in read_label_files(package)
        if is_locale(file.locale)
    }
