import { readFileSync } from "node:fs"
import type { ConfinedPlace } from "./confined-place.ts"

/** Folders of a Linux system that programs need and that don't contain users' files. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix"]
/** Targets of symlinks in /etc. */
const LINKED = [
  "/run/systemd/resolve",
  "/run/resolvconf",
  "/run/NetworkManager",
  "/run/current-system",
  "/var/lib/extrausers",
]

const NAMESPACES = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL", "--die-with-parent"]

const SIGNALS = "qw(INT QUIT TERM HUP TSTP)"
/**
 * Perl script that starts bubblewrap. Bubblewrap waits for the program, so it must ignore the signals for the program
 * and exit after the program does.
 */
const WAITING = `$SIG{$_} = 'IGNORE' for ${SIGNALS}; exec { $ARGV[0] } @ARGV or exit 127`
/**
 * Perl script that starts a program with a terminal in the sandbox. It makes the program the foreground process group
 * of the terminal. Otherwise, the foreground group would be outside the sandbox, where the program can't refer to it,
 * and a shell couldn't take back the terminal.
 */
const STARTING = `use POSIX (); POSIX::setpgid(0, 0); $SIG{TTOU} = 'IGNORE'; POSIX::tcsetpgrp(2, $$);
$SIG{$_} = 'DEFAULT' for ${SIGNALS}, 'TTOU'; exec { $ARGV[0] } @ARGV or exit 127`

/**
 * Perl script that starts a program without a terminal in the sandbox. It only restores the default handling of
 * signals, because the program stays in the process group that receives them.
 */
const ENDING = `$SIG{$_} = 'DEFAULT' for ${SIGNALS}; exec { $ARGV[0] } @ARGV or exit 127`

/** Perl script that forwards ports of the sandbox's network to sockets. `bridge.pl` explains how. */
const BRIDGE = readFileSync(new URL("bridge.pl", import.meta.url), "utf8")
/** Folder in the sandbox that contains the sockets of the routes out of it. */
const WAYS_OUT = "/run/switchyard"

/**
 * Builds the command that runs a program in bubblewrap. The program sees only its own processes and these files. It has
 * the machine's network, no network, or only the given routes. It stays in its terminal's session, which job control
 * requires. No other process reads from that terminal.
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
