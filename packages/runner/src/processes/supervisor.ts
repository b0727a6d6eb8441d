import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import type { ProgramUser } from "./agent-user.ts"

/** Starts programs so that all their descendants can be found and ended. `supervisor.pl` explains how. */
export interface Supervisor {
  /**
   * Returns the command to run instead of the program. If the program is to run as another user, this command must run
   * as root.
   */
  command(
    program: { mark: string; user?: ProgramUser | undefined },
    file: string,
    args: string[],
  ): { file: string; args: string[]; env: Record<string, string> }
}

/** Process name of a supervisor. */
export const SUPERVISOR = "sy-supervisor"

/** Stands for the runner's own user, if a program runs as that user. */
const ITSELF: ProgramUser = { uid: 0, gid: 0 }

/** System call numbers of prctl, prlimit64, unshare and mount. */
const CALLS: Partial<Record<NodeJS.Architecture, [number, number, number, number]>> = {
  x64: [157, 302, 272, 165],
  arm64: [167, 261, 97, 40],
  riscv64: [167, 261, 97, 40],
}

/** Returns the system call number of prctl, or 0 if it is unknown for this machine. */
export function prctlNumber(): number {
  return process.platform === "linux" ? (CALLS[process.arch]?.[0] ?? 0) : 0
}

/**
 * Opens the supervisor. Returns undefined if the machine doesn't run Linux on a supported processor, or if Perl is
 * missing or broken. `group` is the file that lists the processes of a control group. Programs join this group.
 */
export async function openSupervisor(perl: string | undefined, group?: string): Promise<Supervisor | undefined> {
  const calls = CALLS[process.arch]
  if (process.platform !== "linux" || !calls || perl === undefined) return undefined
  const source = await readFile(new URL("supervisor.pl", import.meta.url), "utf8")
  // Without this variable, Perl prints warnings about missing locales to the terminal.
  const env = { PERL_BADLANG: "0" }
  const supervisor: Supervisor = {
    command: ({ mark, user = ITSELF }, file, args) => {
      const numbers = [...calls, limitsOf(mark).from, process.pid, user.uid, user.gid].map(String)
      return { file: perl, args: ["-e", source, ...numbers, user.passwd ?? "", group ?? "", file, ...args], env }
    },
  }
  const trial = supervisor.command({ mark: "trial.0" }, process.execPath, ["--version"])
  const works = await promisify(execFile)(trial.file, trial.args, { env }).then(
    ({ stdout }) => stdout.trim() === process.version,
    () => false,
  )
  return works ? supervisor : undefined
}

/**
 * Returns the soft limits on real-time CPU use, in microseconds, that identify all programs with this mark prefix.
 * Descendants inherit the limit, even if they change their environment. No process can reach such a limit, because the
 * smallest one is 73,000 years.
 */
export function limitsOf(mark: string): { from: bigint; to: bigint } {
  const [family = "", program] = mark.split(".")
  const from = LOWEST + hash30(family) * PROGRAMS
  return program === undefined ? { from, to: from + PROGRAMS - 1n } : at(from + hash30(program))
}

/** True if this limit marks a program that was started by a supervisor. */
export function isMark(limit: bigint): boolean {
  return limit >= LOWEST && limit < LOWEST + FAMILIES * PROGRAMS
}

const FAMILIES = 2n ** 30n
const PROGRAMS = 2n ** 30n
const LOWEST = 2n ** 61n

function at(limit: bigint): { from: bigint; to: bigint } {
  return { from: limit, to: limit }
}

function hash30(text: string): bigint {
  return BigInt(createHash("sha256").update(text).digest().readUInt32BE(0) >>> 2)
}
