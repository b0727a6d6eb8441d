#!/bin/sh
# Installs the Debian packages for the runner, its agents and their projects, and adds the unprivileged user that runs
# agents.
set -eu

# Listed in docs/confinement.md, which says what each is for.
PACKAGES="
  ca-certificates git openssh-client perl-base procps tini
  curl jq ripgrep unzip xz-utils
  g++ gcc libc6-dev make pkg-config
  python3 python3-dev python3-pip python3-venv
"

# shellcheck disable=SC2086
sh "$(dirname "$0")/packages.sh" $PACKAGES

# The user needs no home folder, because each agent has its own.
useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /bin/sh agent
