import { randomUUID } from "node:crypto"
import type { Cli } from "../cli.ts"
import { CliError } from "../errors/errors.ts"
import { EXIT } from "../errors/exit.ts"
import { createRawInput, DETACH_KEY, DETACHED } from "../input/raw-input.ts"
import { followTerminal } from "../streams/terminal-stream.ts"

/** Terminal or pipes of the process. */
export type Console = Pick<NodeJS.Process, "stdin" | "stdout" | "on" | "off">

/** Resets modes that a program may have left on: alternate screen, mouse, bracketed paste, colours, hidden cursor. */
const LEAVE =
  "\u001b[?1049l\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?2004l\u001b[?1l\u001b[0m\u001b[?25h\r\n"

/** Attaches to the newest open terminal of a session's agents, or else to its newest shell. */
export async function attach(cli: Cli, sessionId: string, console: Console): Promise<number> {
  const terminals = await cli.api.terminals(sessionId, { signal: cli.interrupts.first })
  const open = terminals.filter((terminal) => terminal.open)
  const terminal = open.findLast(({ kind }) => kind !== "shell") ?? open.at(-1)
  if (!terminal) throw new CliError("No terminal is open in this session.")
  return show(cli, sessionId, terminal.pty, console)
}

/** Opens a shell in a worktree of a session, and attaches to it. */
export async function shell(
  cli: Cli,
  sessionId: string,
  { worktree }: { worktree?: string },
  console: Console,
): Promise<number> {
  const { rows = 24, columns: cols = 80 } = console.stdout
  const size = { rows: Math.max(2, rows), cols: Math.max(10, cols) }
  const pty = await cli.api.openShell(sessionId, { worktree, ...size }, { signal: cli.interrupts.first })
  return show(cli, sessionId, pty, console)
}

/** Shows a terminal and sends it input, until it closes or the detach key is pressed. */
async function show(cli: Cli, sessionId: string, pty: string, console: Console): Promise<number> {
  const { stdin, stdout } = console
  const client = `cli-${randomUUID()}`
  const detach = new AbortController()
  const signal = AbortSignal.any([cli.interrupts.first, detach.signal])
  const fail = (error: unknown) => detach.abort(error)
  const typing = createRawInput({
    send: (seq, data) => cli.api.typeInto(sessionId, pty, { client, client_seq: seq, data }, { signal }),
    leave: () => detach.abort(DETACHED),
    fail,
  })
  const resize = () => {
    const { rows, columns: cols } = stdout
    if (rows && cols) cli.api.resize(sessionId, pty, { client, rows, cols, take: true }, { signal }).catch(fail)
  }

  if (stdin.isTTY) stdin.setRawMode(true)
  stdin.on("data", typing.type)
  // Shown only now, once input is accepted.
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
