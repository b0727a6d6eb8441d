import type { ConfinedPlace, Mount } from "./confined-place.ts"

/** Folders of macOS that programs need and that don't contain users' files. */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/opt",
  "/System",
  "/Library",
  "/Applications/Xcode.app",
  "/private/etc",
  "/dev",
]
const LINKED = ["/private/var/db", "/private/var/select", "/etc", "/var", "/tmp"]

/**
 * Builds the command that runs a program in macOS's sandbox-exec. The program can access only these files. It can use
 * the machine's network if `network` is true, and only loopback addresses otherwise. It can list all processes, but can
 * signal and inspect only processes in its own sandbox.
 */
export function seatbeltCommand(
  place: ConfinedPlace,
  { file, args }: { file: string; args: string[] },
): { file: string; args: string[] } {
  return { file: "/usr/bin/sandbox-exec", args: ["-p", seatbeltProfile(place), file, ...args] }
}

export function seatbeltProfile({ writable, mounts = [], readable, network = true }: ConfinedPlace): string {
  // macOS has no mounts like this, so files that should appear under another path are read at their original path.
  const isInPlace = ({ from, to, isReadOnly }: Mount) => from === to && !isReadOnly
  const shared = mounts.filter(isInPlace).map(({ to }) => to)
  const shown = mounts.filter((mount) => !isInPlace(mount)).map(({ to }) => to)
  return [
    "(version 1)",
    "(deny default)",
    '(import "system.sb")',
    "(allow process-fork process-exec)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read mach-lookup ipc-posix-sem ipc-posix-shm pseudo-tty)",
    network === true
      ? "(allow network*)"
      : '(allow network* (local ip "localhost:*") (remote ip "localhost:*") (remote unix))',
    // Programs look up their parent folders. The names of these folders aren't secret.
    "(allow file-read-metadata)",
    `(allow file-read* (literal "/") ${[...SYSTEM, ...LINKED, ...readable, ...shown].map(subpath).join(" ")})`,
    `(allow file-read* file-write* ${[...writable, ...shared].map(subpath).join(" ")})`,
    ...mounts.flatMap(({ from, to, isReadOnly }) =>
      from === to && isReadOnly ? `(deny file-write* ${subpath(to)})` : [],
    ),
    '(allow file-write* file-ioctl (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/ttys[0-9]+$"))',
    "",
  ].join("\n")
}

function subpath(path: string): string {
  return `(subpath "${path.replaceAll(/["\\]/g, "\\$&")}")`
}
