# Helpers for the scripts in this folder: parallel jobs, and Debian packages.

# Gives each job its own process group, so that a job's child processes end with it.
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

# beside NAME COMMAND…: starts a job in the background. `finish` prints its output, so that it isn't interleaved.
beside() {
  local name=$1
  shift
  : >"$said/$name"
  "$@" >>"$said/$name" 2>&1 </dev/null &
  jobs[$name]=$!
}

# finish NAME: prints the job's output, waits for it to end, and returns its exit code.
finish() {
  local status=0
  tail --lines=+1 --follow --pid="${jobs[$1]}" "$said/$1"
  wait "${jobs[$1]}" || status=$?
  unset "jobs[$1]"
  return "$status"
}

# timed COMMAND…: prints the seconds that the command took, and returns its exit code. A long command is cut, so that
# the failures printed before it stay near the end.
timed() {
  local began=$SECONDS status=0 command=$*
  "$@" || status=$?
  ((${#command} <= 100)) || command="${command:0:100}…"
  echo "[$((SECONDS - began)) s] $command"
  return "$status"
}

# want PACKAGE…: on Debian, installs missing packages. Use PACKAGE/PROGRAM if the program's name differs.
want() {
  local package missing=()
  for package in "$@"; do
    command -v "${package#*/}" >/dev/null || missing+=("${package%/*}")
  done
  ((${#missing[@]})) || return 0
  (apt-get update -qq && apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null) ||
    echo "${missing[*]} can't be installed here, so tests that need it are skipped." >&2
}
