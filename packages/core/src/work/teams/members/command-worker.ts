import { AppError } from "../../../errors.ts"
import type { Message, ModelEvent, ModelProvider, ToolCall } from "../../../models/provider.ts"
import { MAX_COMMAND_SECONDS } from "../../shell-commands/schema.ts"
import { COMMAND_FILES } from "../files.ts"
import type { WorkerState } from "../state.ts"

const MAX_SUMMARY_CHARS = 2000

type Call = [name: string, args: Record<string, unknown>]

/**
 * Returns a provider that acts as the model of a command worker. It writes the task to files, runs the command, sends
 * the command's messages and, once there is a result, publishes the command's files. If the files are rejected, it
 * writes the reasons to the command's inbox and runs the command again. As with a model, the next step depends only on
 * the conversation, so any executor can continue it.
 */
export function commandWorker({ name, role, command, commandLimits }: WorkerState, nodeId: string): ModelProvider {
  const { timeout_seconds = MAX_COMMAND_SECONDS } = commandLimits ?? {}
  const run: Call = ["bash", { command: command ?? "", timeout_seconds }]
  return {
    name: "command",
    async *stream({ messages }) {
      yield* answerOf(nextCalls(messages, run, { node: nodeId, worker: name, role }), messages.length)
    },
  }
}

function nextCalls(messages: readonly Message[], run: Call, about: object): Call[] {
  const [first] = messages
  const calls = answeredCalls(messages)
  const last = calls.at(-1)
  const begin = (): Call[] => [
    write(COMMAND_FILES.task, `${first?.content ?? ""}\n`),
    write(COMMAND_FILES.context, `${JSON.stringify(about, null, 2)}\n`),
    write(
      COMMAND_FILES.inbox,
      toldSince(messages, calls)
        .map((text) => `${text}\n---\n`)
        .join(""),
    ),
    write(COMMAND_FILES.outbox, ""),
    write(COMMAND_FILES.result, ""),
  ]
  // After a failure, a message to the worker makes the worker start the node over.
  const giveUp = (reason: string): Call[] => {
    if (messages.at(-1)?.role === "user") return begin()
    throw new AppError("task_unfinished", reason, {
      hint: "Check the command's output, then run the node again.",
    })
  }
  switch (last?.call.name) {
    case "bash":
      return last.isError ? giveUp(failure(last.answer)) : [read(COMMAND_FILES.outbox), read(COMMAND_FILES.result)]
    case "read_file":
      return (
        afterwards(calls) ?? giveUp(`The command didn't produce a result. ${failure(ranLast(calls)?.answer ?? "")}`)
      )
    case "write_file":
      return [run]
    default:
      return begin()
  }
}

const ranLast = (calls: readonly Answered[]) => calls.findLast(({ call }) => call.name === "bash")

const read = (path: string): Call => ["read_file", { path }]
const write = (path: string, content: string): Call => ["write_file", { path, content }]

interface Answered {
  call: ToolCall
  answer: string
  isError: boolean
  /** Index of the answer in the conversation. */
  at: number
}

function answeredCalls(messages: readonly Message[]): Answered[] {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
  const answers = messages.flatMap((message, at) => (message.role === "tool" ? [{ ...message, at }] : []))
  return answers.flatMap(({ content, isError = false, at }, index) => {
    const call = calls[index]
    return call ? [{ call, answer: String(content), isError, at }] : []
  })
}

/**
 * Returns the messages received since the inbox was last written, including the reasons if the worker's last result was
 * rejected.
 */
function toldSince(messages: readonly Message[], calls: readonly Answered[]): string[] {
  const since = calls.findLast(({ call }) => call.name === "write_file")?.at ?? 0
  // A successful publish ends the conversation, so every answer to a publish call is a rejection.
  const refused = new Set(calls.flatMap(({ call, at }) => (call.name === "publish" ? [at] : [])))
  return messages.flatMap(({ role, content }, at) =>
    at > since && (role === "user" || refused.has(at)) ? [String(content)] : [],
  )
}

/**
 * Returns the calls to make after a command: first send the command's messages, then publish its result. The result is
 * the content of the result file or, if that file is empty, the command's output. Undefined if there is no result.
 */
function afterwards(calls: readonly Answered[]): Call[] | undefined {
  const [outbox, result] = calls.slice(-2)
  const text = (result?.isError ? "" : (result?.answer ?? "")).trim() || lastWords(ranLast(calls)?.answer ?? "")
  if (text === "") return undefined
  const messages = outbox?.isError ? [] : messagesIn(outbox?.answer ?? "")
  return [...messages, ["publish", { summary: text.slice(0, MAX_SUMMARY_CHARS) }]]
}

/**
 * Splits an outbox into messages, which are separated by `---` lines. A message may start with `TO: name`. The default
 * recipient is the coordinator.
 */
function messagesIn(outbox: string): Call[] {
  return outbox.split(/^---[ \t]*$/m).flatMap((block): Call[] => {
    const [, to = "coordinator", content = ""] = /^\s*(?:TO:[ \t]*(\S[^\n]*)\n)?([\s\S]*)$/.exec(block) ?? []
    return content.trim() === "" ? [] : [["send_message", { to: to.trim(), content: content.trim() }]]
  })
}

/** Returns the output of a successful command, without the list of changed files. */
function lastWords(answer: string): string {
  const [, printed = ""] = /^Exit code 0\.\n\n([\s\S]*)$/.exec(answer) ?? []
  return (printed.split(/\n\nIt (?:wrote|deleted) /)[0] ?? "").replace(/^It (?:wrote|deleted) [^\n]*$/gm, "").trim()
}

function failure(answer: string): string {
  return answer.replace(/^ERROR: /, "").slice(0, MAX_SUMMARY_CHARS)
}

function* answerOf(calls: readonly Call[], at: number): Generator<ModelEvent> {
  for (const [index, [name, args]] of calls.entries()) {
    const call = { id: `call_${at}_${index}`, name, args, rawArguments: JSON.stringify(args) }
    yield { type: "tool_call", call }
  }
  yield { type: "usage", usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 } }
  yield { type: "end", stopReason: "tool_calls" }
}
