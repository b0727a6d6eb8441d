import { randomUUID } from "node:crypto"
import * as z from "zod"
import { ANSWER_MS } from "../api/requests.ts"
import { OpenedShell, PendingCommand, Sent, TerminalList } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { CliError } from "../errors/errors.ts"
import { EXIT } from "../errors/exit.ts"
import { createRawInput, DETACH_KEY, DETACHED } from "../input/raw-input.ts"
import { followTerminal } from "../streams/terminal-stream.ts"

/** The process's terminal or pipes. */
export type Console = Pick<NodeJS.Process, "stdin" | "stdout" | "on" | "off">

/**
 * Sequences that reset modes that a program may have left on: alternate screen, mouse, bracketed paste, colours, hidden
 * cursor.
 */
const LEAVE =
  "\u001b[?1049l\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?2004l\u001b[?1l\u001b[0m\u001b[?25h\r\n"

/** Attaches to the newest open terminal of a session's agents. If there is none, attaches to the newest open shell. */
export async function attach(cli: Cli, sessionId: string, console: Console): Promise<number> {
  const path = { id: sessionId }
  const { terminals } = await cli.api.ask("GET /api/v1/sessions/{id}/terminals", TerminalList, { path })
  const open = terminals.filter((terminal) => terminal.open)
  const terminal = open.findLast(({ kind }) => kind !== "shell") ?? open.at(-1)
  if (!terminal) throw new CliError("No terminal is open in this session.")
  return show(cli, sessionId, terminal.pty, console)
}

export interface ShellOptions {
  worktree?: string
}

/** Opens a shell in a session's worktree and attaches to it. If the reply is lost, the server keeps an unused shell. */
export async function shell(
  cli: Cli,
  sessionId: string,
  { worktree }: ShellOptions,
  console: Console,
): Promise<number> {
  const { rows = 24, columns: cols = 80 } = console.stdout
  const body = { rows: Math.max(2, rows), cols: Math.max(10, cols) }
  const asked = { path: { id: sessionId }, query: { worktree }, body, waitMs: ANSWER_MS }
  const Answer = z.union([OpenedShell, PendingCommand])
  let answer = await cli.api.ask("POST /api/v1/sessions/{id}/worktree/shell", Answer, asked)
  while ("links" in answer) {
    answer = await cli.api.follow(Answer, { path: answer.links.result, waitMs: ANSWER_MS })
  }
  return show(cli, sessionId, answer.pty, console)
}

/** Shows a terminal and sends input to it, until the terminal closes or the user presses the detach key. */
async function show(cli: Cli, sessionId: string, pty: string, console: Console): Promise<number> {
  const { stdin, stdout } = console
  const client = `cli-${randomUUID()}`
  const path = { id: sessionId, pty }
  const detach = new AbortController()
  const signal = AbortSignal.any([cli.interrupts.first, detach.signal])
  const fail = (error: unknown) => detach.abort(error)
  const typing = createRawInput({
    async send(seq, data) {
      // Idempotent: a retry after a lost reply has no effect.
      const asked = { path, body: { client, client_seq: seq, data }, signal }
      await cli.api.ask("POST /api/v1/sessions/{id}/terminals/{pty}/input", Sent, asked)
    },
    leave: () => detach.abort(DETACHED),
    fail,
  })
  const resize = () => {
    const { rows, columns: cols } = stdout
    if (!rows || !cols) return
    const asked = { path, body: { client, rows, cols, take: true }, signal }
    cli.api.ask("POST /api/v1/sessions/{id}/terminals/{pty}/resize", Sent, asked).catch(fail)
  }

  if (stdin.isTTY) stdin.setRawMode(true)
  stdin.on("data", typing.type)
  // Show this notice only now, because the terminal didn't accept input before.
  if (stdin.isTTY) cli.terminal.notice(`Attached to ${pty}. Press ${DETACH_KEY} to detach.`)
  if (stdout.isTTY) {
    console.on("SIGWINCH", resize)
    resize()
  }
  try {
    const exitCode = await followTerminal(
      cli,
      { sessionId, pty, client, write: (bytes) => stdout.write(bytes) },
      signal,
    )
    return exitCode === 0 ? EXIT.done : EXIT.failed
  } catch (error) {
    if (detach.signal.reason === DETACHED) return EXIT.done
    throw detach.signal.aborted ? detach.signal.reason : error
  } finally {
    console.off("SIGWINCH", resize)
    stdin.off("data", typing.type).pause()
    if (stdin.isTTY) stdin.setRawMode(false)
    if (stdout.isTTY) stdout.write(LEAVE)
    if (detach.signal.reason === DETACHED) cli.terminal.notice("Detached. The program keeps running.")
  }
}
