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
  /** Whether standard input and output are pipes to the runner; standard error and job control are always the terminal's. */
  piped: boolean
  /** Prefix of the marks of all programs of a session, by which those of a dead runner are found. */
  family: string
  /** Holds the pipes' names for a moment. */
  folder: string
  /** The user that the program runs as, if not the runner's own. */
  user?: ProgramUser
  /** The memory that each of its processes may have, if less than every program may. */
  memoryBytes?: number | undefined
}

/** The end of a program: by itself, or by a signal. */
export type Exit = { exitCode: number; signal: null } | { exitCode: null; signal: number }

/** A program with a terminal of its own as its controlling terminal. */
export interface Program {
  readonly pid: number
  readonly pipes: Pick<Fifos, "write" | "end" | "output"> | null
  /** Sends bytes to the program's terminal, as keys. */
  type(bytes: Uint8Array | string): void
  resize(rows: number, cols: number): void
  /** Stops reading its terminal output, so that it waits. */
  pause(): void
  resume(): void
  /** A program that is killed has no exit code. */
  readonly exited: Promise<Exit>
  /** Bytes of input that it had not read at its end, as far as its supervisor can tell. */
  readonly unreadBytes: number
  /** Whether it was killed, or failed by itself, when the disk was nearly full. */
  readonly filledDisk: boolean
  /** Ends it with everything that it started. Resolves to the ids of survivors: normally none. */
  kill(): Promise<number[]>
}

export interface ProgramDeps {
  clock: Clock
  /** Undefined if this machine can't have one. */
  supervisor?: Supervisor | undefined
  /** Receives the program's terminal output, from the first byte on. */
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
  // A supervisor sees to it that there are no new rights.
  const [starter = "/bin/sh", ...before] = [...(supervisor ? [] : (user?.startedBy ?? [])), "/bin/sh"]
  const plain = { file: starter, args: [...before, "-c", steps, file, ...args], env: {} }
  const command = supervisor?.command({ mark, user }, plain.file, plain.args) ?? plain
  const paths = fifos ? { FIFO_IN: fifos.paths.input, FIFO_OUT: fifos.paths.output } : {}
  const orphans = supervisor ? undefined : await searchFor(options)
  const pty = spawn(command.file, command.args, {
    // A supervisor changes to the user by itself.
    ...{ cwd, rows, cols, ...(supervisor || !user ? {} : { uid: user.uid, gid: user.gid }) },
    name: "xterm-256color",
    encoding: null,
    env: { ...env, ...paths, ...command.env, [MARK]: mark },
  })
  const { ptsName, fd, _socket } = pty as unknown as UnixPty
  // The terminal is created as the runner's; to open it by name, as a shell does for /dev/stderr, the program must own it.
  if (user) chownSync(ptsName, user.uid, user.gid)
  const input = createPtyInput({ clock }, fd, () => _socket.destroyed)
  // With `encoding: null` these are bytes, whatever the types say.
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
  // A program may die of a full disk before we look.
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

/** The words that the program's terminal then shows. */
const DISK_FULL = "\r\nThe program was ended, because the disk was nearly full.\r\n"

/** Properties that node-pty has and doesn't declare. */
interface UnixPty {
  ptsName: string
  /** The master side, which doesn't block. */
  fd: number
  _socket: { readonly destroyed: boolean }
}

/** Recognises orphans that start from now on in the folders that it works in. */
async function searchFor({ cwd, env: { HOME } }: ProgramOptions): Promise<OrphanSearch> {
  const named = [cwd, HOME].filter((path) => path !== undefined)
  const folders = await Promise.all(named.map((path) => realpath(path).catch(() => path)))
  return { folders, ...(HOME !== undefined && { home: HOME }), since: Math.floor(uptime() * TICKS) }
}

/** Ticks a second, as Linux reports times to programs on every machine. */
const TICKS = 100

/** Resolves once the terminal is the program's own; nothing that it starts may see it before. */
const WAIT = 'tty=$(tty); until [ -O "$tty" ]; do sleep 0.01; done; unset tty; '

/** A script that reports when both pipes are open. Drops their names from the environment: they are gone by then. */
const REDIRECT = 'exec 3<"$FIFO_IN" 4>"$FIFO_OUT"; echo >&4; unset FIFO_IN FIFO_OUT; exec "$0" "$@" <&3 >&4 3<&- 4>&-'
