#!/bin/sh
# Installs the Debian packages for the runner and its agents, and adds the unprivileged user that runs agents.
set -eu
export DEBIAN_FRONTEND=noninteractive

apt-get update -q
# git and ssh for cloning and pushing, ripgrep and ps for agents, perl for ending agents' leftover processes, and tini
# for reaping them.
apt-get install -q -y --no-install-recommends ca-certificates git openssh-client perl-base procps ripgrep tini
apt-get clean
rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/debconf/*-old /usr/share/doc/* /usr/share/man/*

# The user needs no home folder, because each agent has its own.
useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /bin/sh agent
