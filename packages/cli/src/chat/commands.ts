import type { CompleterResult } from "node:readline"
import { newRequestId } from "@switchyard/core/work/chat/ids"
import { Selection } from "@switchyard/core/work/chat/request-schema"
import { SymbolMap } from "@switchyard/core/work/chat/symbols-schema"
import * as z from "zod"
import { ChatTurn } from "../api/responses.ts"
import type { Interrupts } from "../input/interrupts.ts"
import { sanitizeLine } from "../output/sanitize.ts"
import { showTurn } from "./ask.ts"
import { ContextView, contextReport } from "./context-report.ts"
import { Begun, readFiles, restore } from "./restore.ts"
import { type Conversation, openSession } from "./session.ts"
import { undo } from "./undo.ts"

interface Options {
  signal: AbortSignal
}

const AddedPage = z.looseObject({ title: z.string(), notice: z.string().nullable() })

interface Command {
  help: string
  act(conversation: Conversation, argument: string, options: Options, stop: Interrupts): Promise<unknown>
}

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries<Command>({
    "/files": { help: "list the files; a star marks files that the model reads in full", act: listFiles },
    "/drop": { help: "/drop [path]: deselect this file, or all files", act: dropFiles },
    "/commit": { help: "/commit [message]: commit the files; without a message, a model writes one", act: commit },
    "/undo": { help: "undo your last message, its answer and the resulting changes to files", act: undo },
    "/reset": { help: "/reset yes: reset the files to the last commit", act: reset },
    "/page": { help: "/page url: add a web page to the context; /page drop url: remove it", act: changePages },
    "/map": { help: "show the parsed part of the symbol map", act: showMap },
    "/context": { help: "show what the model read last, by tier, and the session's totals", act: showContext },
    "/rebuild": { help: "rebuild the context with the next message", act: rebuild },
    "/new": { help: "start a new conversation about the same files", act: beginAnew },
    "/model": { help: "/model [name]: use this model from now on, or show the current one", act: chooseModel },
    "/review": {
      help: "/review [base [tip]]: stop applying edits, and review the changes since base; /review off",
      act: setReview,
    },
    "/help": { help: "show this list", act: showHelp },
    "/quit": { help: "leave (or press Ctrl-D)", act: async () => {} },
  }),
)

async function listFiles({ cli, sessionId }: Conversation, _argument: string, options: Options): Promise<void> {
  const { api, terminal } = cli
  if (sessionId === undefined) return terminal.notice("There are no files yet.")
  const { selected_files } = await api.chat(sessionId, options)
  const files = await readFiles(cli, sessionId, options)
  for (const path of files) terminal.print(`${selected_files.includes(path) ? "*" : " "} ${path}`)
  if (files.length === 0) terminal.notice("There are no files yet.")
}

async function dropFiles({ cli, sessionId }: Conversation, path: string, options: Options): Promise<void> {
  const { api, terminal } = cli
  if (sessionId === undefined) return terminal.notice("No files are selected.")
  const { selected_files } = await api.chat(sessionId, options)
  if (path !== "" && !selected_files.includes(path)) return terminal.notice(`${path} isn't selected.`)
  const kept = path === "" ? [] : selected_files.filter((one) => one !== path)
  const asked = { path: { id: sessionId }, body: { files: kept }, ...options }
  const selection = await api.ask("PUT /api/v1/sessions/{id}/chat/selection", Selection.loose(), asked)
  terminal.notice(`Selected: ${selection.selected_files.join(", ") || "nothing"}`)
}

async function commit(
  { cli, sessionId, settings }: Conversation,
  message: string,
  options: Options,
  stop: Interrupts,
): Promise<unknown> {
  if (sessionId === undefined) return cli.terminal.notice("There are no files yet.")
  const body = { request_id: newRequestId(cli.clock.now()), model: settings.model, message: message || undefined }
  const asked = { path: { id: sessionId }, body, ...options }
  return showTurn(cli, sessionId, await cli.api.ask("POST /api/v1/sessions/{id}/chat/commit", ChatTurn, asked), stop)
}

async function reset({ cli, sessionId }: Conversation, argument: string, options: Options): Promise<void> {
  if (sessionId === undefined) return cli.terminal.notice("There are no files yet.")
  if (argument !== "yes") return cli.terminal.notice("Uncommitted changes will be lost. To reset: /reset yes")
  const asked = { path: { id: sessionId }, body: { confirm: true as const }, ...options }
  const begin = () => cli.api.ask("POST /api/v1/sessions/{id}/chat/reset", Begun, asked)
  await restore(cli, { sessionId, kind: "reset" }, begin, options)
  cli.terminal.notice("The files were reset to the last commit.")
}

async function changePages(conversation: Conversation, argument: string, options: Options): Promise<void> {
  const { api, terminal } = conversation.cli
  const [, isDropped, url] = /^(drop )?(\S+)$/.exec(argument) ?? []
  if (url === undefined) return terminal.notice("Add the URL of a page.")
  conversation.sessionId ??= await openSession(conversation.cli, options)
  const path = { id: conversation.sessionId }
  if (isDropped) {
    await api.ask("DELETE /api/v1/sessions/{id}/chat/urls", z.unknown(), { path, query: { url }, ...options })
    return terminal.notice(`${url} was removed from the context.`)
  }
  const { model } = conversation.settings
  const asked = { path, body: { url, model }, ...options }
  const { title, notice } = await api.ask("POST /api/v1/sessions/{id}/chat/urls", AddedPage, asked)
  terminal.notice(`"${sanitizeLine(title)}" will be in the context from your next message on.`)
  if (notice !== null) terminal.notice(sanitizeLine(notice))
}

async function showMap(
  { cli: { api, terminal }, sessionId }: Conversation,
  _: string,
  options: Options,
): Promise<void> {
  if (sessionId === undefined) return terminal.notice("There are no files yet.")
  const asked = { path: { id: sessionId }, query: { variant: "editor" as const }, ...options }
  const { map, unparsed_files } = await api.ask("GET /api/v1/sessions/{id}/symbols/map", SymbolMap.loose(), asked)
  for (const line of map.split("\n")) terminal.print(line)
  if (unparsed_files > 0)
    terminal.notice(`Files not indexed yet: ${unparsed_files}. The server indexes them with the next message.`)
}

async function showContext(
  { cli: { api, terminal }, sessionId }: Conversation,
  _: string,
  options: Options,
): Promise<void> {
  if (sessionId === undefined) return terminal.notice("There is no context before the first message.")
  const asked = { path: { id: sessionId }, ...options }
  const view = await api.ask("GET /api/v1/sessions/{id}/chat/context", ContextView, asked)
  for (const line of contextReport(view)) terminal.print(line)
}

async function rebuild(
  { cli: { api, terminal }, sessionId }: Conversation,
  _: string,
  options: Options,
): Promise<void> {
  if (sessionId !== undefined) {
    const asked = { path: { id: sessionId }, ...options }
    await api.ask("POST /api/v1/sessions/{id}/chat/context/rebuild", z.unknown(), asked)
  }
  terminal.notice("The next message rebuilds the context.")
}

async function beginAnew({ cli, sessionId }: Conversation, _argument: string, options: Options): Promise<void> {
  if (sessionId !== undefined) {
    await cli.api.ask("POST /api/v1/sessions/{id}/chat/new", z.unknown(), { path: { id: sessionId }, ...options })
  }
  cli.terminal.notice("Started a new conversation.")
}

async function chooseModel(conversation: Conversation, name: string, options: Options): Promise<void> {
  const { cli, sessionId, settings } = conversation
  if (name !== "") settings.model = name
  const used = settings.model ?? (sessionId && (await cli.api.chat(sessionId, options)).model)
  cli.terminal.notice(`Model: ${used ?? "the server's"}`)
}

async function setReview(conversation: Conversation, argument: string, options: Options): Promise<void> {
  const { cli, settings } = conversation
  const isOff = argument === "off"
  const [base, tip] = isOff ? [] : argument.split(/\s+/).filter(Boolean)
  if (base !== undefined) {
    conversation.sessionId ??= await openSession(cli, options)
    const { sessionId } = conversation
    const asked = { path: { id: sessionId }, body: { base, tip }, ...options }
    const begin = () => cli.api.ask("POST /api/v1/sessions/{id}/chat/review", Begun, asked)
    await restore(cli, { sessionId, kind: "review" }, begin, options)
    const { review } = await cli.api.chat(sessionId, options)
    if (review) cli.terminal.notice(`Under review: ${sanitizeLine(review.summary)}.`)
  }
  if (isOff && conversation.sessionId !== undefined) {
    const asked = { path: { id: conversation.sessionId }, ...options }
    await cli.api.ask("DELETE /api/v1/sessions/{id}/chat/review", z.unknown(), asked)
  }
  settings.review = !isOff
  cli.terminal.notice(settings.review ? "Edits are shown, but not applied." : "Edits are applied.")
}

async function showHelp({ cli: { terminal } }: Conversation): Promise<void> {
  terminal.print(
    "@path in a message selects that file, so that the model reads it in full; Tab completes it. Ctrl-C stops an answer.",
  )
  for (const [name, { help }] of COMMANDS) terminal.print(`${name.padEnd(8)} ${help}`)
}

/** Returns completions for a command, or for the path of a file after an `@`. */
export async function complete({ cli, sessionId }: Conversation, line: string): Promise<CompleterResult> {
  if (/^\/\S*$/.test(line)) return [[...COMMANDS.keys()].filter((name) => name.startsWith(line)), line]
  const [, begun] = /(?:^|\s)@(\S*)$/.exec(line) ?? []
  if (begun === undefined || sessionId === undefined) return [[], line]
  const options = { signal: AbortSignal.timeout(COMPLETION_MS) }
  const { files, is_read } = await cli.api.chatFiles(sessionId, options)
  // Start reading the files for later completions. This completion doesn't wait, because a clone can take long.
  if (!is_read) await cli.api.readFiles(sessionId, options)
  // Leave out paths that contain spaces or that a terminal can't display, because they can't be completed.
  const paths = files.map(({ path }) => path).filter((path) => path === sanitizeLine(path) && !/\s/.test(path))
  return [paths.filter((path) => path.startsWith(begun)), begun]
}

const COMPLETION_MS = 3000
