import { formatSeconds } from "@switchyard/core/text/format"
import { newRequestId } from "@switchyard/core/work/chat/ids"
import type { TurnResult } from "@switchyard/core/work/chat/schema"
import { ChatTurn } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import type { Interrupts } from "../input/interrupts.ts"
import { createAnswerWriter } from "./answer-writer.ts"
import { resolveMentions } from "./mentions.ts"
import { readFiles } from "./restore.ts"
import { followTurn } from "./turn.ts"
import { editsReport, turnNotices, usageText } from "./turn-report.ts"

export interface TurnSettings {
  model?: string | undefined
  /** True to show the edits without applying them. */
  review?: boolean | undefined
}

interface Asked extends TurnSettings {
  sessionId: string
  message: string
  images?: { src: string; name: string }[] | undefined
}

/** Asks the model, and shows its answer and the results of its edits. The first interrupt stops the turn. */
export async function ask(
  cli: Cli,
  { sessionId, message, images, model, review }: Asked,
  stop: Interrupts,
): Promise<TurnResult> {
  const { second: signal } = stop
  const files = await selectionWith(cli, sessionId, message, { signal })
  const mode = review ? ("review" as const) : ("edit" as const)
  const body = { request_id: newRequestId(cli.clock.now()), message, files, images, model, mode }
  const started = await begin(cli, stop, () =>
    cli.api.ask("POST /api/v1/sessions/{id}/chat", ChatTurn, { path: { id: sessionId }, body, signal }),
  )
  return showTurn(cli, sessionId, started, stop)
}

/** Starts a turn. If the user interrupts before the server has responded, stops the turn right after the response. */
async function begin<T>({ terminal }: Cli, { first }: Interrupts, start: () => Promise<T>): Promise<T> {
  const begun = new AbortController()
  const say = () => terminal.notice("The turn will stop as soon as the server responds. Press Ctrl-C again to leave.")
  first.addEventListener("abort", say, { once: true, signal: begun.signal })
  try {
    return await start()
  } finally {
    begun.abort()
  }
}

/** Shows a turn until it ends. */
export async function showTurn(cli: Cli, sessionId: string, turn: ChatTurn, stop: Interrupts): Promise<TurnResult> {
  const { terminal } = cli
  const result = await showAnswer(cli, { sessionId, requestId: turn.request_id }, stop)
  const { model } = await cli.api.run(turn.run_id, { signal: stop.second })
  if (terminal.json) {
    terminal.printJson({ session_id: sessionId, ...turn, model, result })
    return result
  }
  // If stdout is a pipe, write nothing except the answer to it.
  const tell = terminal.live
    ? terminal.line
    : ({ who, text }: { who: string; text: string }) => terminal.notice(`${who.padEnd(10)} ${text}`)
  for (const line of editsReport(result)) tell(line)
  for (const text of turnNotices(result)) terminal.notice(text)
  const usage = usageText(result.token_usage, model)
  if (usage !== null) tell({ who: "tokens", text: usage, tone: "quiet" })
  return result
}

/** Writes the answer while it arrives if stdout is a terminal. Otherwise, writes it once it is complete. */
async function showAnswer(
  cli: Cli,
  turn: { sessionId: string; requestId: string },
  stop: Interrupts,
): Promise<TurnResult> {
  const { terminal, clock } = cli
  if (!terminal.live) {
    const result = await followTurn(cli, turn, { ...stop, onText: () => {} })
    if (!terminal.json && result.response !== "") terminal.text(`${result.response}\n`)
    return result
  }
  const began = clock.monotonic()
  const waiting = setInterval(() => terminal.status(`thinking  ${formatSeconds(clock.monotonic() - began)}`), 1000)
  const settle = () => {
    clearInterval(waiting)
    terminal.status(undefined)
  }
  const writer = createAnswerWriter((piece) => {
    settle()
    terminal.text(piece)
  })
  try {
    const result = await followTurn(cli, turn, { ...stop, onText: writer.update })
    writer.end(result.response)
    return result
  } finally {
    settle()
  }
}

/** Returns the selection extended by the files that a message mentions. Undefined if there are no mentions. */
async function selectionWith(
  cli: Cli,
  sessionId: string,
  message: string,
  options: { signal: AbortSignal },
): Promise<string[] | undefined> {
  if (!message.includes("@")) return undefined
  const { api, terminal } = cli
  const { files, unknown } = resolveMentions(message, await readFiles(cli, sessionId, options))
  for (const word of unknown) terminal.notice(`There is no file "${word}", so @${word} is sent as text.`)
  if (files.length === 0) return undefined
  const { selected_files } = await api.chat(sessionId, options)
  return [...new Set([...selected_files, ...files])]
}
