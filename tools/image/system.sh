#!/bin/sh
# Installs the Debian packages of the runner and agents, and adds the unprivileged user for agents.
set -eu
export DEBIAN_FRONTEND=noninteractive

apt-get update -q
# git and ssh to clone and push; ripgrep and ps for agents; perl to end their leftover processes, tini to reap them.
apt-get install -q -y --no-install-recommends ca-certificates git openssh-client perl-base procps ripgrep tini
apt-get clean
rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/debconf/*-old /usr/share/doc/* /usr/share/man/*

# The user needs no home, because each agent has its own.
useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /bin/sh agent
