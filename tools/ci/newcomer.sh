#!/usr/bin/env bash
# Runs the README's two commands on a newcomer's machine: a Debian with only Node 20, npm 9, git, curl and certificates, as
# an unprivileged user with an empty home. Argument: a file that receives the names of test files with skipped tests. Exit
# code 75: such a Debian can't be created here.
set -euo pipefail
cd "$(dirname "$0")/../.."
skipped=$(realpath -m "$1")

unavailable() {
  echo "A newcomer's machine can't be made here: $1. The tests run on this machine alone." >&2
  exit 75
}
[[ $(id -u) = 0 ]] || unavailable "that takes root"
command -v debootstrap >/dev/null || unavailable "there is no debootstrap"
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
# npm's packages depend on it; most machines lack it.
rm -f "$root"/usr/bin/python3*
# This machine's way to npm's registry, which is not part of the project.
if [[ -f ~/.npmrc ]]; then cp ~/.npmrc "$root/etc/npmrc-of-host" && chmod 644 "$root/etc/npmrc-of-host"; fi
if [[ -f /etc/ssl/certs/ca-certificates.crt ]]; then cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"; fi
passed=(HOME=/home/ada PATH=/usr/local/bin:/usr/bin:/bin NPM_CONFIG_GLOBALCONFIG=/etc/npmrc-of-host)
while IFS= read -r name; do passed+=("$name=${!name}"); done \
  < <(compgen -e | grep -iE '^(npm_config_registry|npm_config_cafile|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|PORT)$')

chroot "$root" useradd --create-home --shell /bin/bash ada
rm -f "$root"/home/ada/.[!.]*
git clone --quiet --no-hardlinks . "$root/home/ada/switchyard"
chroot "$root" chown -R ada:ada /home/ada

# Its processes and mounts end with it. The shell is process 1, and reaps orphans.
unshare --mount --pid --fork --kill-child bash -euc '
  mount --make-rprivate /
  mount -t proc proc "$0/proc"
  mount --rbind /dev "$0/dev"
  # In memory, as in Debian 13 and later.
  mount -t tmpfs -o mode=1777 tmpfs "$0/tmp"
  cd /
  chroot "$0" setpriv --reuid=ada --regid=ada --clear-groups env -i "$@" \
    sh -c "cd /home/ada/switchyard && exec node tools/ci/first-day.mjs"
  exit 0' "$root" "${passed[@]}"
cp "$root/home/ada/skipped" "$skipped"
