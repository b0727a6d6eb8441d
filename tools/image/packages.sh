#!/bin/sh
# Installs the named Debian packages, and leaves no lists or documentation behind. Without names, it does nothing.
set -eu
[ "$#" -gt 0 ] || exit 0
export DEBIAN_FRONTEND=noninteractive

apt-get update -q
# apt takes an unknown name with a dot as a pattern, and one with a minus at its end as a package to remove.
for name in "$@"; do
  if ! apt-cache pkgnames -- "$name" | grep -Fqx -- "$name"; then
    echo "Debian has no package named $name. Correct RUNNER_PACKAGES." >&2
    exit 1
  fi
done
# Packages such as Java's link their manuals here.
mkdir -p /usr/share/man/man1
apt-get install -q -y --no-install-recommends "$@"
apt-get clean
rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/debconf/*-old /usr/share/doc/* /usr/share/man/*
