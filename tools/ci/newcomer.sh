#!/usr/bin/env bash
# Runs the README's two commands on a newcomer's machine: a Debian with only Node 20, npm 9, git, curl and certificates,
# as an unprivileged user with an empty home. Writes the skipped tests to the file given as an argument, each as a file
# and a line. Exits with 75 if such a Debian can't be created here.
set -euo pipefail
cd "$(dirname "$0")/../.."
skipped=$(realpath -m "$1")

unavailable() {
  echo "A newcomer's machine can't be created here: $1. The tests only run on this machine." >&2
  exit 75
}
[[ $(id -u) = 0 ]] || unavailable "it needs root"
command -v debootstrap >/dev/null || unavailable "debootstrap isn't installed"
unshare --mount --pid --fork true 2>/dev/null || unavailable "namespaces aren't allowed"

root=$(mktemp -d /var/tmp/switchyard-newcomer-XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
chmod 755 "$root"
log=$root.log
debootstrap --variant=minbase trixie "$root" >"$log" 2>&1 || { tail -3 "$log"; unavailable "debootstrap failed"; }
cp /etc/resolv.conf "$root/etc/resolv.conf"
chroot "$root" sh -c 'apt-get update -qq && apt-get install -qq -y --no-install-recommends nodejs npm git curl ca-certificates' \
  >"$log" 2>&1 || { tail -3 "$log"; unavailable "its packages can't be installed"; }
rm "$log"
# Debian's npm packages depend on Python, but most machines lack it.
rm -f "$root"/usr/bin/python3*
# This machine's settings for reaching the npm registry, which aren't part of the project.
if [[ -f ~/.npmrc ]]; then cp ~/.npmrc "$root/etc/npmrc-of-host" && chmod 644 "$root/etc/npmrc-of-host"; fi
if [[ -f /etc/ssl/certs/ca-certificates.crt ]]; then cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"; fi
passed=(HOME=/home/ada PATH=/usr/local/bin:/usr/bin:/bin NPM_CONFIG_GLOBALCONFIG=/etc/npmrc-of-host)
while IFS= read -r name; do passed+=("$name=${!name}"); done \
  < <(compgen -e | grep -iE '^(npm_config_registry|npm_config_cafile|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|PORT)$')

chroot "$root" useradd --create-home --shell /bin/bash ada
rm -f "$root"/home/ada/.[!.]*
git clone --quiet --no-hardlinks . "$root/home/ada/switchyard"
chroot "$root" chown -R ada:ada /home/ada

# The namespaces end its processes and mounts when it exits. The shell is PID 1, and reaps orphans.
unshare --mount --pid --fork --kill-child bash -euc '
  mount --make-rprivate /
  mount -t proc proc "$0/proc"
  mount --rbind /dev "$0/dev"
  # tmpfs, as in Debian 13 and later.
  mount -t tmpfs -o mode=1777 tmpfs "$0/tmp"
  cd /
  chroot "$0" setpriv --reuid=ada --regid=ada --clear-groups env -i "$@" \
    sh -c "cd /home/ada/switchyard && exec node tools/ci/first-day.mjs"
  exit 0' "$root" "${passed[@]}"
cp "$root/home/ada/skipped" "$skipped"
