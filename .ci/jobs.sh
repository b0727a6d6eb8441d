# For the scripts of this folder: jobs beside each other, and programs of Debian.

# A job has a process group of its own, so that what it started ends with it.
set -m
said=$(mktemp -d)
declare -A jobs=()
stop() {
  exec 2>/dev/null
  for job in "${jobs[@]}"; do
    kill -- "-$job" || true
    wait "$job" || true
  done
  rm -rf "$said"
}
trap stop EXIT

# beside NAME COMMAND…: starts it. What it says is printed from `finish` on, so that it stays in one piece.
beside() {
  local name=$1
  shift
  : >"$said/$name"
  "$@" >>"$said/$name" 2>&1 </dev/null &
  jobs[$name]=$!
}

# finish NAME: waits for it, and ends as it did.
finish() {
  local status=0
  tail --lines=+1 --follow --pid="${jobs[$1]}" "$said/$1"
  wait "${jobs[$1]}" || status=$?
  unset "jobs[$1]"
  return "$status"
}

timed() {
  local began=$SECONDS status=0
  "$@" || status=$?
  echo "[$((SECONDS - began)) s] $*"
  return "$status"
}

# want PACKAGE…: installs those that aren't there, where this is Debian. PACKAGE/PROGRAM where its program has another name.
want() {
  local package missing=()
  for package in "$@"; do
    command -v "${package#*/}" >/dev/null || missing+=("${package%/*}")
  done
  ((${#missing[@]})) || return 0
  (apt-get update -qq && apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null) ||
    echo "${missing[*]} can't be installed here, so what needs it is skipped." >&2
}
