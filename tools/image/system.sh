#!/bin/sh
# Installs the Debian packages for the runner, its agents and their projects, and adds the unprivileged user that runs
# agents.
set -eu
export DEBIAN_FRONTEND=noninteractive

# Listed in docs/confinement.md, which says what each is for.
PACKAGES="
  ca-certificates git openssh-client perl-base procps tini
  curl jq ripgrep unzip xz-utils
  g++ gcc libc6-dev make pkg-config
  python3 python3-dev python3-pip python3-venv
"

apt-get update -q
# shellcheck disable=SC2086
apt-get install -q -y --no-install-recommends $PACKAGES
apt-get clean
rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/debconf/*-old /usr/share/doc/* /usr/share/man/*

# The user needs no home folder, because each agent has its own.
useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /bin/sh agent
