#!/usr/bin/env sh
# Installs what the browser tests of the report need: Debian's chromium-headless-shell, and axe-core in .browser/.
# What cannot be installed is said, and is no error: the tests that need it are skipped.
cd "$(dirname "$0")/../.." || exit 1

say() { echo "make browser: $*" >&2; }

if command -v chromium-headless-shell >/dev/null 2>&1; then
  say "chromium-headless-shell is there"
elif command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium-headless-shell fonts-liberation; } \
    >/dev/null 2>&1 || say "chromium-headless-shell could not be installed: browser tests are skipped"
else
  say "chromium-headless-shell is not there, and only root can install it by apt-get: browser tests are skipped"
fi

axe=.browser/node_modules/axe-core/axe.min.js
if [ -f "$axe" ]; then
  say "axe-core is there"
elif command -v npm >/dev/null 2>&1; then
  mkdir -p .browser
  npm install --no-save --no-audit --no-fund --silent --prefix .browser axe-core >/dev/null 2>&1 && [ -f "$axe" ] \
    || say "axe-core could not be installed: tests of accessibility are skipped"
else
  say "npm is not there to install axe-core: tests of accessibility are skipped"
fi
exit 0
