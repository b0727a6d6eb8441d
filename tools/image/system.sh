#!/bin/sh
# What the runner and agents need of Debian, and the user by whose name agents aren't root.
set -eu
export DEBIAN_FRONTEND=noninteractive

apt-get update -q
# git and ssh to clone and push; ripgrep and ps for agents; perl to end what they leave, tini to reap it.
apt-get install -q -y --no-install-recommends ca-certificates git openssh-client perl-base procps ripgrep tini
apt-get clean
rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/debconf/*-old /usr/share/doc/* /usr/share/man/*

# A home of its own is nothing that agents need: each agent has one.
useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /bin/sh agent
