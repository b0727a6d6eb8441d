import { randomUUID } from "node:crypto"
import { chownSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { uptime } from "node:os"
import { spawn } from "@lydell/node-pty"
import type { Clock } from "@switchyard/core/time"
import { type Fifos, openFifos } from "./fifo.ts"
import type { OrphanSearch } from "./orphans.ts"
import { killTree, MARK } from "./process-tree.ts"
import { createPtyInput } from "./pty-input.ts"
import type { Supervisor } from "./supervisor.ts"

export interface ProgramOptions {
  file: string
  args: string[]
  cwd: string
  env: Record<string, string>
  rows: number
  cols: number
  /** Whether standard input and output are pipes to us; standard error and job control are the terminal's always. */
  piped: boolean
  /** Begins the mark of all programs that go together, so that those of a runner that died can be found. */
  family: string
  /** Where the pipes' names are for a moment. */
  folder: string
  /** Whom the program runs as, where that isn't us. */
  user?: { uid: number; gid: number }
}

/** How a program ended: by itself, or by a signal. */
export type Exit = { exitCode: number; signal: null } | { exitCode: null; signal: number }

/** A program with a terminal of its own as its controlling terminal. */
export interface Program {
  readonly pid: number
  readonly pipes: Pick<Fifos, "write" | "end" | "output"> | null
  /** To the program's terminal, as keys. */
  type(bytes: Uint8Array | string): void
  resize(rows: number, cols: number): void
  /** Stops reading what it writes to the terminal, so that it waits. */
  pause(): void
  resume(): void
  /** A program that is killed has no exit code. */
  readonly exited: Promise<Exit>
  /** Ends it with everything that it started. Resolves to what is left, which is nothing. */
  kill(): Promise<number[]>
}

export interface ProgramDeps {
  clock: Clock
  /** Undefined where this machine can't have one. */
  supervisor?: Supervisor | undefined
  /** Hears what the program writes to its terminal, from the first byte on. */
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
  const steps = [user ? WAIT : "", fifos ? REDIRECT : 'exec "$0" "$@"'].join("")
  const stepwise = { file: "/bin/sh", args: ["-c", steps, file, ...args] }
  const plain = { ...(fifos || user ? stepwise : { file, args }), env: {} }
  const command = supervisor?.command(mark, plain.file, plain.args) ?? plain
  const paths = fifos ? { FIFO_IN: fifos.paths.input, FIFO_OUT: fifos.paths.output } : {}
  const orphans = supervisor ? undefined : await searchFor(options)
  const pty = spawn(command.file, command.args, {
    ...{ cwd, rows, cols, ...user },
    name: "xterm-256color",
    encoding: null,
    env: { ...env, ...paths, ...command.env, [MARK]: mark },
  })
  const { ptsName, fd, _socket } = pty as unknown as UnixPty
  // Its terminal is made as ours; whoever opens it by name, as a shell does for /dev/stderr, must own it.
  if (user) chownSync(ptsName, user.uid, user.gid)
  const input = createPtyInput({ clock }, fd, () => _socket.destroyed)
  // With `encoding: null` these are bytes, whatever the types say.
  pty.onData((data) => shown(data as unknown as Uint8Array))
  const exited = new Promise<Exit>((resolve) => {
    pty.onExit(({ exitCode, signal }) => resolve(signal ? { exitCode: null, signal } : { exitCode, signal: null }))
  })
  void exited.then(() => fifos?.remove())
  let gone = false
  void exited.then(() => {
    gone = true
  })
  return {
    pid: pty.pid,
    pipes: fifos,
    exited,
    type: (bytes) => input.write(typeof bytes === "string" ? Buffer.from(bytes) : bytes),
    resize(toRows, toCols) {
      if (!gone) pty.resize(toCols, toRows)
    },
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    kill: () => killTree({ pid: pty.pid, mark, orphans }, { clock }),
  }
}

/** What node-pty has and doesn't declare. */
interface UnixPty {
  ptsName: string
  /** The master side, which doesn't block. */
  fd: number
  _socket: { readonly destroyed: boolean }
}

/** From now on, in the folders that it works in. */
async function searchFor({ cwd, env: { HOME } }: ProgramOptions): Promise<OrphanSearch> {
  const named = [cwd, HOME].filter((path) => path !== undefined)
  const folders = await Promise.all(named.map((path) => realpath(path).catch(() => path)))
  return { folders, ...(HOME !== undefined && { home: HOME }), since: Math.floor(uptime() * TICKS) }
}

/** A second, as Linux counts for its programs everywhere. */
const TICKS = 100

/** Until the terminal is the program's own: nothing that it starts may find it as it was. */
const WAIT = 'tty=$(tty); until [ -O "$tty" ]; do sleep 0.01; done; unset tty; '

/** Says when both are open. Drops the names from the environment, too: they are gone when the program runs. */
const REDIRECT = 'exec 3<"$FIFO_IN" 4>"$FIFO_OUT"; echo >&4; unset FIFO_IN FIFO_OUT; exec "$0" "$@" <&3 >&4 3<&- 4>&-'
