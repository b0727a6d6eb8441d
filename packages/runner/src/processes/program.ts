import { randomUUID } from "node:crypto"
import { chownSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { uptime } from "node:os"
import { spawn } from "@lydell/node-pty"
import type { Clock } from "@switchyard/core/time"
import type { ProgramUser } from "./agent-user.ts"
import { type Fifos, openFifos } from "./fifo.ts"
import type { OrphanSearch } from "./orphans.ts"
import { killTree, MARK } from "./process-tree.ts"
import { createPtyInput } from "./pty-input.ts"
import { diskIsNearlyFull, limitSteps, readLimits } from "./resource-limits.ts"
import type { Supervisor } from "./supervisor.ts"
import { takeUnread } from "./unread-keys.ts"

export interface ProgramOptions {
  file: string
  args: string[]
  cwd: string
  env: Record<string, string>
  rows: number
  cols: number
  /**
   * True if the program's stdin and stdout are connected to the runner through pipes. Stderr and job control still use
   * the terminal.
   */
  piped: boolean
  /** Prefix of the marks of all programs in a session. It is used to find the programs of a dead runner. */
  family: string
  /** Folder for the pipes. */
  folder: string
  /** User that runs the program, if different from the runner's user. */
  user?: ProgramUser
  /** Memory limit per process, if it is lower than the general limit. */
  memoryBytes?: number | undefined
}

/** Exit code of a program, or the signal that ended it. */
export type Exit = { exitCode: number; signal: null } | { exitCode: null; signal: number }

/** A program with its own controlling terminal. */
export interface Program {
  readonly pid: number
  readonly pipes: Pick<Fifos, "write" | "end" | "output"> | null
  /** Sends bytes to the program's terminal as keyboard input. */
  type(bytes: Uint8Array | string): void
  resize(rows: number, cols: number): void
  /** Stops reading the program's terminal output. The program blocks once the buffer is full. */
  pause(): void
  resume(): void
  /** Resolves when the program has exited. The exit code is null if the program was killed. */
  readonly exited: Promise<Exit>
  /** Number of input bytes that the program hadn't read when it exited, as far as its supervisor knows. */
  readonly unreadBytes: number
  /** True if the program was killed or failed because the disk was almost full. */
  readonly filledDisk: boolean
  /** Ends the program and its descendants. Returns the PIDs of processes that survived. Normally, there are none. */
  kill(): Promise<number[]>
}

export interface ProgramDeps {
  clock: Clock
  /** Undefined if the machine can't run a supervisor. */
  supervisor?: Supervisor | undefined
  /** Receives all of the program's terminal output. */
  shown: (bytes: Uint8Array) => void
}

export async function startProgram(
  options: ProgramOptions,
  { clock, supervisor, shown }: ProgramDeps,
): Promise<Program> {
  const { file, args, cwd, env, rows, cols, user } = options
  const mark = `${options.family}.${randomUUID()}`
  const fifos = options.piped ? await openFifos(options.folder) : null
  if (fifos && user) await fifos.give(user)
  const limited = limitSteps(await readLimits(cwd, options.memoryBytes))
  const steps = [user ? WAIT : "", limited, fifos ? REDIRECT : 'exec "$0" "$@"'].join("")
  // The starter isn't needed with a supervisor, which itself prevents the user from gaining privileges.
  const [starter = "/bin/sh", ...before] = [...(supervisor ? [] : (user?.startedBy ?? [])), "/bin/sh"]
  const plain = { file: starter, args: [...before, "-c", steps, file, ...args], env: {} }
  const command = supervisor?.command({ mark, user }, plain.file, plain.args) ?? plain
  const paths = fifos ? { FIFO_IN: fifos.paths.input, FIFO_OUT: fifos.paths.output } : {}
  const orphans = supervisor ? undefined : await searchFor(options)
  const pty = spawn(command.file, command.args, {
    // The supervisor switches users itself.
    ...{ cwd, rows, cols, ...(supervisor || !user ? {} : { uid: user.uid, gid: user.gid }) },
    name: "xterm-256color",
    encoding: null,
    env: { ...env, ...paths, ...command.env, [MARK]: mark },
  })
  const { ptsName, fd, _socket } = pty as unknown as UnixPty
  // The terminal belongs to the runner, which created it. The program must own the terminal to be able to open it by
  // name, as a shell does for /dev/stderr.
  if (user) chownSync(ptsName, user.uid, user.gid)
  const input = createPtyInput({ clock }, fd, () => _socket.destroyed)
  // With `encoding: null`, `data` consists of bytes, although its type is string.
  let unreadBytes = 0
  pty.onData((data) => {
    const { rest, unreadBytes: found } = takeUnread(data as unknown as Uint8Array)
    unreadBytes = found
    if (rest.length > 0) shown(rest)
  })
  const ended = new Promise<Exit>((resolve) => {
    pty.onExit(({ exitCode, signal }) => resolve(signal ? { exitCode: null, signal } : { exitCode, signal: null }))
  })
  void ended.then(() => fifos?.remove())
  let gone = false
  let hasSucceeded = false
  const over = new AbortController()
  void ended.then(({ exitCode }) => {
    gone = true
    hasSucceeded = exitCode === 0
    over.abort()
  })
  const kill = () => killTree({ pid: pty.pid, mark, uid: user?.uid, orphans }, { clock })
  let filledDisk = false
  const watched = diskIsNearlyFull(cwd, { clock, signal: over.signal }).then((isFull) => {
    filledDisk = isFull && !hasSucceeded
    if (filledDisk) shown(Buffer.from(DISK_FULL))
  })
  void watched.then(async () => {
    if (filledDisk) await kill()
  })
  // If the disk fills up, a program may fail before the next check, so wait for one last check.
  const exited = ended.then((exit) => watched.then(() => exit))
  return {
    pid: pty.pid,
    pipes: fifos,
    exited,
    get unreadBytes() {
      return unreadBytes
    },
    get filledDisk() {
      return filledDisk
    },
    type: (bytes) => input.write(typeof bytes === "string" ? Buffer.from(bytes) : bytes),
    resize(toRows, toCols) {
      if (!gone) pty.resize(toCols, toRows)
    },
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    kill,
  }
}

/** Message shown in the program's terminal. */
const DISK_FULL = "\r\nThe program was stopped because the disk was nearly full.\r\n"

/** Properties of node-pty's terminals that its types don't declare. */
interface UnixPty {
  ptsName: string
  /** File descriptor of the non-blocking master side. */
  fd: number
  _socket: { readonly destroyed: boolean }
}

/** Returns a search for orphans that work in the program's folders and start after this call. */
async function searchFor({ cwd, env: { HOME } }: ProgramOptions): Promise<OrphanSearch> {
  const named = [cwd, HOME].filter((path) => path !== undefined)
  const folders = await Promise.all(named.map((path) => realpath(path).catch(() => path)))
  return { folders, ...(HOME !== undefined && { home: HOME }), since: Math.floor(uptime() * TICKS) }
}

/** Clock ticks per second. Linux reports this number to programs on every architecture. */
const TICKS = 100

/**
 * Shell commands that wait until the program owns its terminal. No program that is started later may see the terminal
 * before that.
 */
const WAIT = 'tty=$(tty); until [ -O "$tty" ]; do sleep 0.01; done; unset tty; '

/**
 * Shell commands that report when both pipes are open. After that, they unset the variables with the pipes' paths,
 * because the pipes are removed.
 */
const REDIRECT = 'exec 3<"$FIFO_IN" 4>"$FIFO_OUT"; echo >&4; unset FIFO_IN FIFO_OUT; exec "$0" "$@" <&3 >&4 3<&- 4>&-'
