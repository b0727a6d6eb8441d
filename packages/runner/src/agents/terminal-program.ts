import { join } from "node:path"
import type { TerminalWriter } from "@switchyard/core/agents/terminals/terminal-log"
import { isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import type { NewId } from "@switchyard/core/ids"
import type { Clock } from "@switchyard/core/time"
import { type Exit, type Program, type ProgramOptions, startProgram } from "../processes/program.ts"
import type { Supervisor } from "../processes/supervisor.ts"
import { createTypedKeys } from "../processes/unread-keys.ts"
import { createTerminal, type Terminal } from "../terminals/terminal.ts"
import type { Concealment } from "./concealment.ts"
import type { TerminalHandler } from "./open-terminal.ts"
import { hasText } from "./text-input.ts"

export interface TerminalProgramDeps {
  clock: Clock
  newId: NewId
  openLog: (pty: string) => TerminalWriter
  sessionSeq: () => number
  /** Stores a recording and returns its key. If undefined, nothing is recorded. */
  keepRecording?: (pty: string, source: AsyncIterable<Uint8Array>) => Promise<string>
  report: (error: unknown) => void
  /** Undefined if this machine can't run a supervisor. */
  supervisor?: Supervisor | undefined
  /** Identifies this session's programs on this machine. */
  family: string
  /** Masks secrets that the programs themselves are able to read. */
  concealment?: Concealment | undefined
  /** Aborts when the runner must exit. After that, nothing is logged. */
  ended: AbortSignal
}

/** A program and its terminal. */
export interface TerminalProgram {
  pty: string
  program: Program
  terminal: Terminal
  /** Returns the last part of the program's terminal output. */
  lastWords(): string
  /** True if the program exited before it read the text that was typed last, as far as this machine can tell. */
  leftTextUnread(): boolean
  /** Returns a handler for user input. Keys are passed to `type`. */
  attached(type: (bytes: Uint8Array) => void): TerminalHandler
  /**
   * Ends all of the program's processes, then the terminal. `seen` is the text that was on the screen, if the program
   * has already cleared it.
   */
  close(seen?: string): Promise<Exit & { events: NewEvent[] }>
}

const LAST_WORDS_BYTES = 8192

export async function openTerminalProgram(
  deps: TerminalProgramDeps,
  pty: string,
  /** `heard` is called for each output. */
  options: Omit<ProgramOptions, "family"> & { title: string; heard?: () => void },
): Promise<TerminalProgram> {
  const { clock, keepRecording } = deps
  const report = (error: unknown) => {
    // Another runner has taken over and closed this terminal in the log, so later output isn't needed.
    if (!isAppError(error, "run_superseded")) deps.report(error)
  }
  let words = Buffer.alloc(0)
  let program: Program | undefined
  const keys = createTypedKeys()
  const terminal = createTerminal(
    {
      clock,
      log: deps.openLog(pty),
      sessionSeq: deps.sessionSeq,
      answer(text) {
        keys.add({ sizeBytes: Buffer.byteLength(text), isText: false })
        program?.type(text)
      },
      pressure: (high) => (high ? program?.pause() : program?.resume()),
      recording: keepRecording
        ? { file: join(options.folder, `${pty}.cast`), keep: (source) => keepRecording(pty, source) }
        : null,
      report,
      signal: deps.ended,
    },
    options,
  )
  const concealed = deps.concealment?.stream()
  const show = (bytes: Uint8Array) => {
    words = Buffer.concat([words, bytes]).subarray(-LAST_WORDS_BYTES)
    terminal.write(bytes)
  }
  const shown = (bytes: Uint8Array) => {
    options.heard?.()
    show(concealed?.take(bytes) ?? bytes)
  }
  program = await startProgram({ ...options, family: deps.family }, { clock, shown, supervisor: deps.supervisor })
  const { exited } = program
  const running = program
  return {
    pty,
    program,
    terminal,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal begin with one
    lastWords: () => words.toString().replace(/\u001b\[[0-?]*[ -/]*[@-~]|\u001b[^[]|\r/g, ""),
    leftTextUnread: () => keys.hasTextIn(running.unreadBytes),
    attached: (type) => ({
      type(bytes) {
        keys.add({ sizeBytes: bytes.length, isText: hasText(bytes) })
        type(bytes)
      },
      resize(rows, cols) {
        running.resize(rows, cols)
        terminal.resize(rows, cols)
      },
      watched: terminal.watched,
      left: terminal.left,
    }),
    async close(seen) {
      const left = await running.kill()
      if (left.length > 0) deps.report(new Error(`Couldn't end these processes: ${left.join(", ")}.`))
      const exit = await exited
      if (concealed) show(concealed.flush())
      const data = seen ?? terminal.text()
      const recording = await terminal.close(exit.exitCode).catch((error) => {
        report(error)
        return null
      })
      const events: NewEvent[] = [
        { type: "terminal_output", pty, data },
        { type: "terminal_closed", pty, exit_code: exit.exitCode, signal: exit.signal, recording },
      ]
      return { ...exit, events }
    },
  }
}
