#!/bin/sh
# Makes .venv and installs the project into it: sh scripts/setup.sh [EXTRA]
# PYTHON names the interpreter; without it the newest Python >= 3.11 on PATH is taken, one that can
# make environments before one that cannot.
set -eu
cd "$(dirname "$0")/.."

fits() {
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

makes_environments() {
    "$1" -c 'import ensurepip, venv' 2>/dev/null
}

find_python() {
    without_venv=
    set -- python3.14 python3.13 python3.12 python3.11 python3 python
    [ -z "${PYTHON:-}" ] || set -- "$PYTHON"
    for name in "$@"; do
        fits "$name" || continue
        if makes_environments "$name"; then
            echo "$name"
            return 0
        fi
        without_venv=${without_venv:-$name}
    done
    if [ -n "$without_venv" ]; then
        echo "'$without_venv' cannot make the project's own environment: its module 'venv' or" >&2
        echo "'ensurepip' is missing. On Debian and Ubuntu: apt install python3-venv." >&2
        echo "Then run the same command again, or with another one: PYTHON=/path/to/python3.11" >&2
    elif [ -n "${PYTHON:-}" ]; then
        echo "PYTHON is '$PYTHON', which does not run or is older than Python 3.11." >&2
        echo "Run the same command with another one, or without PYTHON to have one found." >&2
    else
        echo "No Python 3.11 or newer was found on PATH." >&2
        echo "Install one, or add to the same command: PYTHON=/path/to/python3.11" >&2
    fi
    return 1
}

# A .venv that was moved, was made by half or whose interpreter is gone is made anew.
if ! fits .venv/bin/python || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    python=$(find_python)
    rm -rf .venv
    "$python" -m venv .venv
fi

# requires: pip from the interpreter's own ensurepip is new enough for editable installs.
if ! .venv/bin/python -m pip install --quiet --disable-pip-version-check \
    --constraint constraints.txt --editable ".${1:+[$1]}"; then
    echo "The libraries were not installed; pip's reason stands above. This step needs PyPI, or" >&2
    echo "the index or folder that PIP_INDEX_URL or PIP_FIND_LINKS names." >&2
    exit 1
fi
