import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { ImageRef } from "../../files/images/schema.ts"
import { workspacePathIfValid } from "../../files/workspaces/path.ts"
import type { Message, ToolCall } from "../../models/provider.ts"
import type { SessionState } from "../../state.ts"
import type { RunContext } from "../runs/run-context.ts"
import { callModel } from "./call-model.ts"
import { type HarnessContext, searchesItself } from "./context.ts"
import { assistantMessage, type ToolMessage, unansweredCalls } from "./conversation.ts"
import { cutMiddle, type Decided, type DurableTool, type Effect, type Known } from "./durable-tools.ts"
import { roomForMessages, shortenToRoom, withShorterPrompts } from "./prompt-size.ts"
import { shortenConversation } from "./shorten-conversation.ts"
import { withNote } from "./tools.ts"

/** Decision before a model call: end the loop, or call the model, optionally with a new message. */
export type YieldMove = "end" | "call" | { say: string; tells?: number[]; images?: readonly ImageRef[] | undefined }

export interface DurableLoop {
  harness: HarnessContext
  run: Pick<RunContext<unknown>, "decide" | "commit" | "signal">
  /** Messages logged so far. The loop appends to them. */
  messages: Message[]
  system(): Promise<string>
  tools: DurableTool[]
  /**
   * Decides the next move before each model call, once all tool calls have results. May throw `RunParked` to park the
   * run.
   */
  atYieldPoint(messages: readonly Message[]): Promise<YieldMove>
}

/**
 * Calls a model in a loop that survives the death of an executor. Each answer is logged before its tools run. Each
 * tool's effect is appended together with its result, so a successor never repeats the effect.
 */
export async function runDurableLoop(loop: DurableLoop): Promise<void> {
  for (;;) {
    for (const call of unansweredCalls(loop.messages)) await runCall(loop, call)
    const move = await loop.atYieldPoint(loop.messages)
    if (move === "end") return
    if (move !== "call") await say(loop, move)
    await answer(loop)
  }
}

async function say(
  { run, messages }: DurableLoop,
  { say, tells, images = [] }: Exclude<YieldMove, string>,
): Promise<void> {
  const message: Message = { role: "user", content: say, ...(images.length > 0 && { images }) }
  await run.decide(() => [extended([message], tells)])
  messages.push(message)
}

async function answer({ harness, run, messages, tools, system }: DurableLoop): Promise<void> {
  const webSearch = searchesItself(harness)
  const request = { system: await system(), tools, webSearch }
  const completion = await withShorterPrompts(harness, async () => {
    const shortened = shortenToRoom(shortenConversation(messages), await roomForMessages(harness, request))
    return callModel(harness, { ...request, messages: shortened })
  })
  const message = assistantMessage(completion)
  await run.decide(() => [extended([message])])
  messages.push(message)
}

async function runCall(loop: DurableLoop, call: ToolCall): Promise<void> {
  const { run, harness, tools, messages } = loop
  const startedAt = harness.clock.monotonic()
  const tool = tools.find(({ name }) => name === call.name)
  let message: ToolMessage | undefined
  const eventsFor = (decided: Decided | AppError): NewEvent[] => {
    message = resultMessage(call, decided)
    const ms = Math.round(harness.clock.monotonic() - startedAt)
    const shown = callEvents(harness, tool, call, message, ms)
    const { events = [], tells } = decided instanceof AppError ? {} : decided
    return [...shown, ...events, extended([message], tells)]
  }
  // The step is identified by the call's position in the conversation.
  await applyCall({ run, tools }, call, { step: `call-${messages.length}`, eventsFor })
  if (message) messages.push(message)
}

interface AppliedCall {
  /** Name of the commit that the call may make. A successor uses the same name, so the commit is made only once. */
  step: string
  /** Returns the events to append for the call's result or refusal. */
  eventsFor(decided: Decided | AppError): NewEvent[]
}

/** Appends a call's effect and the events of its result, atomically. */
export async function applyCall(
  { run, tools }: Pick<DurableLoop, "run" | "tools">,
  call: ToolCall,
  applied: AppliedCall,
): Promise<void> {
  const tool = tools.find(({ name }) => name === call.name)
  const effect = await effectOf(tool, call, tools, run.signal)
  if ("decide" in effect) await run.decide((state: SessionState) => applied.eventsFor(effect.decide(state)))
  else if (effect.changes) await commitCall(run, effect, applied)
  else await run.decide(() => applied.eventsFor(effect))
}

async function commitCall(
  run: DurableLoop["run"],
  { changes = [], refusal, ...decided }: Known,
  { step, eventsFor }: AppliedCall,
): Promise<void> {
  try {
    await run.commit(changes, step, { events: eventsFor(decided), refusal })
  } catch (error) {
    if (!(error instanceof AppError) || !MISTAKES.has(error.code)) throw error
    await run.decide(() => eventsFor(error))
  }
}

/** Determines the effect of a call. Mistakes by the model become results, and never fail the run. */
async function effectOf(
  tool: DurableTool | undefined,
  call: ToolCall,
  tools: DurableTool[],
  signal: AbortSignal,
): Promise<Effect> {
  if (!tool) {
    const names = tools.map(({ name }) => name).join(", ")
    return {
      decide: () => new AppError("validation_error", `There is no tool ${call.name}. Available tools: ${names}.`),
    }
  }
  try {
    return await tool.call(call, { signal })
  } catch (error) {
    if (!(error instanceof AppError) || !MISTAKES.has(error.code)) throw error
    return { decide: () => error }
  }
}

const MISTAKES: ReadonlySet<string> = new Set([
  "validation_error",
  "not_found",
  "team_refused",
  "host_refused",
  "workspace_validation_error",
  "workspace_not_found",
  "workspace_binary_file",
  "workspace_conflict",
])

function resultMessage(call: ToolCall, decided: Decided | AppError): ToolMessage {
  const isError = decided instanceof AppError
  const content = withNote(isError ? `ERROR: ${resultText(decided)}` : resultText(decided), call)
  return { role: "tool", toolCallId: call.id, content, ...(isError && { isError }) }
}

/** Returns a call's result as text, shortened for the model. */
export function resultText(decided: Decided | AppError): string {
  return decided instanceof AppError ? decided.message : cutMiddle(decided.answer, "Read it in parts, with an offset.")
}

const MAX_ARGS_CHARS = 2000
const MAX_SUMMARY_CHARS = 600

function callEvents(
  { newId }: HarnessContext,
  tool: DurableTool | undefined,
  { name, args, rawArguments }: ToolCall,
  { content, isError }: ToolMessage,
  duration_ms: number,
): NewEvent[] {
  const tool_call_id = newId("tc")
  const path = typeof args === "object" && args !== null && "path" in args ? String(args.path) : ""
  const about = { tool: tool?.kind ?? "other", name: name.slice(0, 100), args: rawArguments.slice(0, MAX_ARGS_CHARS) }
  const summary = { exit_code: isError ? 1 : 0, llm_summary: content.slice(0, MAX_SUMMARY_CHARS) }
  const valid = workspacePathIfValid(path)
  return [
    { type: "tool_call_started", tool_call_id, ...about, ...(valid && { path: valid.slice(0, 256) }) },
    { type: "tool_call_finished", tool_call_id, duration_ms, ...summary },
  ]
}

export function extended(messages: Message[], tells?: number[]): NewEvent {
  return { type: "conversation_extended", messages: messages as never, ...(tells && { tells }) }
}
