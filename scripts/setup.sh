#!/bin/sh
# Makes .venv and installs the project into it: sh scripts/setup.sh [EXTRA]
# PYTHON names the interpreter; without it the newest Python >= 3.11 on PATH is taken.
set -eu
cd "$(dirname "$0")/.."

fits() {
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for name in ${PYTHON:-python3.14 python3.13 python3.12 python3.11 python3 python}; do
        if fits "$name"; then
            echo "$name"
            return 0
        fi
    done
    echo "No Python 3.11 or newer was found on PATH${PYTHON:+ under the name '$PYTHON'}." >&2
    echo "Install one, or name it: make PYTHON=/path/to/python3.11 $*" >&2
    return 1
}

# A .venv that was moved or whose interpreter is gone is made anew.
if ! fits .venv/bin/python; then
    python=$(find_python)
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        echo "'$python' has no 'venv' module, which holds the project's own environment." >&2
        echo "On Debian and Ubuntu: apt install python3-venv. Then run the same command again." >&2
        exit 1
    fi
    rm -rf .venv
    "$python" -m venv .venv
fi

# requires: pip from the interpreter's own ensurepip is new enough for editable installs.
.venv/bin/python -m pip install --quiet --disable-pip-version-check \
    --constraint constraints.txt --editable ".${1:+[$1]}"
