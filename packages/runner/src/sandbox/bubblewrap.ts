import { readFileSync } from "node:fs"
import type { ConfinedPlace } from "./confined-place.ts"

/** Folders of a Linux system that programs need and that hold nobody's own files. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix"]
/** Places that links in /etc lead to. */
const LINKED = [
  "/run/systemd/resolve",
  "/run/resolvconf",
  "/run/NetworkManager",
  "/run/current-system",
  "/var/lib/extrausers",
]

const NAMESPACES = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL", "--die-with-parent"]

const SIGNALS = "qw(INT QUIT TERM HUP TSTP)"
/** Bubblewrap, as what waits for the program's end, must not end before it, so it ignores what is for the program. */
const WAITING = `$SIG{$_} = 'IGNORE' for ${SIGNALS}; exec { $ARGV[0] } @ARGV or exit 127`
/**
 * The program is made its terminal's foreground: it can't name the group of processes that it would be in else, which is
 * outside, and a shell could not give the terminal back to itself.
 */
const STARTING = `use POSIX (); POSIX::setpgid(0, 0); $SIG{TTOU} = 'IGNORE'; POSIX::tcsetpgrp(2, $$);
$SIG{$_} = 'DEFAULT' for ${SIGNALS}, 'TTOU'; exec { $ARGV[0] } @ARGV or exit 127`

/** A program without a terminal stays in the group of processes that is signalled. */
const ENDING = `$SIG{$_} = 'DEFAULT' for ${SIGNALS}; exec { $ARGV[0] } @ARGV or exit 127`

/** Brings what the program sends to some ports out of the network that it is alone in; `bridge.pl` explains how. */
const BRIDGE = readFileSync(new URL("bridge.pl", import.meta.url), "utf8")
/** The folder of the sockets within the sandbox. */
const WAYS_OUT = "/run/switchyard"

/**
 * The command that runs a program by bubblewrap: it sees only its own processes and these files, and the machine's network,
 * none, or the ways out that are given. It stays in the session of its terminal, for its job control; nothing but the program
 * reads that terminal.
 */
export function bubblewrapCommand(
  { bwrap, perl }: { bwrap: string; perl: string },
  { cwd, writable, mounts = [], readable, passwd, network = true, hasTerminal = true }: ConfinedPlace,
  program: { file: string; args: string[] },
): { file: string; args: string[] } {
  const read = (path: string) => ["--ro-bind-try", path, path]
  const system = [...SYSTEM, ...LINKED].flatMap(read)
  const list = passwd === undefined ? [] : ["--ro-bind", passwd, "/etc/passwd"]
  const own = ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp"]
  const programs = readable.filter((path) => !isInSystem(path)).flatMap(read)
  const places = writable.flatMap((path) => ["--bind", path, path])
  const mounted = mounts.flatMap(({ from, to, isReadOnly }) => [isReadOnly ? "--ro-bind" : "--bind", from, to])
  const ways = typeof network === "object" ? network : undefined
  const sockets = ways ? ["--ro-bind", ways.folder, WAYS_OUT] : []
  const files = [...system, ...list, ...own, ...programs, ...places, ...mounted, ...sockets]
  const namespaces = network === true ? NAMESPACES : [...NAMESPACES, "--unshare-net"]
  const bridge = ways ? [perl, "-e", BRIDGE, WAYS_OUT, ways.ports.join(",")] : []
  const inside = [...bridge, perl, "-e", hasTerminal ? STARTING : ENDING, program.file, ...program.args]
  return { file: perl, args: ["-e", WAITING, bwrap, ...namespaces, ...files, "--chdir", cwd, "--", ...inside] }
}

function isInSystem(path: string): boolean {
  return SYSTEM.some((folder) => path === folder || path.startsWith(`${folder}/`))
}
