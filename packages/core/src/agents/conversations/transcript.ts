import type { NewEvent } from "../../events.ts"
import { endsInLoneSurrogate } from "../../text/well-formed.ts"
import type { AgentEvent } from "../clis/cli.ts"
import type { CliId } from "../clis/clis.ts"
import type { Problem } from "../clis/schema.ts"
import { clip } from "../protocols/tool-kinds.ts"
import { findProgress } from "./progress.ts"
import type { MessageBlock, Summary } from "./schema.ts"
import { findSummary } from "./summary.ts"

/** Converts an agent's output to events, and collects the data needed at the end of its turn. */
export interface Transcript {
  /** Returns the events to append for this agent event. Parts of a message are collected first. */
  take(event: AgentEvent): NewEvent[]
  /** Returns the last events of a turn, and closes unanswered tool calls. */
  close(): NewEvent[]
  readonly nativeSession: string | null
  readonly end: Extract<AgentEvent, { type: "turn_completed" | "turn_failed" }> | undefined
  readonly retrying: Problem | undefined
  readonly summary: Summary | undefined
  readonly lastMessage: string
}

const MESSAGE_CHARS = 20_000
const SHOWN_EVERY_MS = 250
/** Assumed context window size in tokens, if unknown. */
const USUAL_WINDOW = 200_000

/** A message that may continue. */
interface OpenMessage {
  id: string
  parent: string | undefined
  blocks: MessageBlock[]
  chars: number
  /** Parts of its text that aren't in an event yet. */
  unshown: string[]
  shownAt: number
}

export function createTranscript(deps: { cli: CliId; now: () => number }): Transcript {
  const running = new Map<string, number>()
  let message: OpenMessage | undefined
  let nativeSession: string | null = null
  let end: Transcript["end"]
  let retrying: Problem | undefined
  let summary: Summary | undefined
  let lastMessage = ""
  let context: Extract<AgentEvent, { type: "context" }> | undefined

  function take(event: AgentEvent): NewEvent[] {
    if (event.type === "text" || event.type === "thinking") return say(event)
    const before = flush()
    retrying = event.type === "retrying" ? event.problem : event.type === "quota" ? retrying : undefined
    return [...before, ...logged(event)]
  }

  function say({ type, text, message: id, parent }: Extract<AgentEvent, { type: "text" | "thinking" }>): NewEvent[] {
    retrying = undefined
    const full = message !== undefined && message.chars + text.length > MESSAGE_CHARS
    const before = full || message?.id !== id || message.parent !== parent ? flush() : []
    message ??= { id, parent, blocks: [], chars: 0, unshown: [], shownAt: deps.now() }
    const last = message.blocks.at(-1)
    if (last?.kind === type) last.content += text
    else message.blocks.push({ kind: type, content: text })
    message.chars += text.length
    if (type === "text") message.unshown.push(text)
    return [...before, ...shown(message)]
  }

  /** Returns an event if the context has changed noticeably. Programs report the context with each answer. */
  function contextChanged(event: Extract<AgentEvent, { type: "context" }>): NewEvent[] {
    const { usedTokens: used_tokens, windowTokens: window_tokens } = event
    const differs = Math.abs(used_tokens - (context?.usedTokens ?? 0)) >= (window_tokens ?? USUAL_WINDOW) / 100
    if (context && !differs && context.windowTokens === window_tokens) return []
    context = event
    return [{ type: "agent_context", cli: deps.cli, used_tokens, window_tokens }]
  }

  /** Returns the new text of an unfinished message, a few times a second. The complete message follows. */
  function shown(open: OpenMessage): NewEvent[] {
    const isCut = endsInLoneSurrogate(open.unshown.at(-1) ?? "")
    if (open.unshown.length === 0 || isCut || deps.now() - open.shownAt < SHOWN_EVERY_MS) return []
    const [text, lengths] = [open.unshown.join(""), open.unshown.map(({ length }) => length)]
    open.unshown = []
    open.shownAt = deps.now()
    return [{ type: "model_text", text, lengths, ...(open.parent && { parent_tool_call_id: open.parent }) }]
  }

  function flush(): NewEvent[] {
    if (!message) return []
    const { blocks, parent } = message
    message = undefined
    const said = blocks.filter(({ kind }) => kind === "text").map(({ content }) => content)
    const text = said.join("\n\n")
    // Only the agent's own words describe the outcome of its task, not those of sub-agents.
    if (parent) return [{ type: "assistant_message", blocks, parent_tool_call_id: parent }]
    if (text) lastMessage = text
    summary = findSummary(text) ?? summary
    const progress = findProgress(text)
    return [{ type: "assistant_message", blocks }, ...(progress ? [{ type: "progress" as const, ...progress }] : [])]
  }

  function logged(event: Exclude<AgentEvent, { type: "text" | "thinking" }>): NewEvent[] {
    switch (event.type) {
      case "session":
        if (event.id === nativeSession) return []
        nativeSession = event.id
        return [{ type: "agent_session_opened", cli: deps.cli, native_session_id: event.id, model: event.model }]
      case "tool_started":
        running.set(event.id, deps.now())
        return [toolStarted(event)]
      case "tool_finished":
        return toolFinished(event)
      case "usage": {
        const { usage, costUsd: cost_usd, basis = "turn" } = event
        return [{ type: "agent_usage", cli: deps.cli, usage, cost_usd, basis }]
      }
      case "context":
        return contextChanged(event)
      case "quota":
        return [
          {
            type: "agent_quota",
            cli: deps.cli,
            window: event.window,
            used_percent: event.usedPercent,
            resets_at: event.resetsAt,
          },
        ]
      case "retrying":
        return [{ type: "agent_retried", problem: event.problem.kind, message: event.problem.message }]
      case "permission_asked":
        // Nothing to add: the permission decider logs the result.
        return []
      case "todos":
        return [{ type: "agent_todos_changed", todos: event.todos }]
      case "notice":
        return [{ type: "agent_notice", text: event.text }]
      default:
        end = event
        return []
    }
  }

  function toolFinished({
    id,
    ok,
    exitCode,
    summary: said,
  }: Extract<AgentEvent, { type: "tool_finished" }>): NewEvent[] {
    const startedAt = running.get(id)
    if (startedAt === undefined) return []
    running.delete(id)
    const duration_ms = Math.max(0, Math.round(deps.now() - startedAt))
    const exit_code = exitCode ?? (ok ? 0 : 1)
    return [{ type: "tool_call_finished", tool_call_id: id, exit_code, duration_ms, llm_summary: said }]
  }

  return {
    take,
    close() {
      const open = [...running.keys()].flatMap((id) =>
        toolFinished({
          type: "tool_finished",
          id,
          ok: false,
          exitCode: null,
          summary: "The tool never returned a result.",
        }),
      )
      return [...flush(), ...open]
    },
    get nativeSession() {
      return nativeSession
    },
    get end() {
      return end
    },
    get retrying() {
      return retrying
    },
    get summary() {
      return summary
    },
    get lastMessage() {
      return lastMessage
    },
  }
}

function toolStarted({
  id,
  tool,
  name,
  path,
  fileBytes,
  command,
  server,
  args,
  diff,
  parent,
}: Extract<AgentEvent, { type: "tool_started" }>): NewEvent {
  return {
    type: "tool_call_started",
    tool_call_id: id,
    tool,
    name,
    ...(path !== undefined && { path }),
    ...(fileBytes !== undefined && { file_bytes: fileBytes }),
    ...(command !== undefined && { command: clip(command, 4000) }),
    ...(server !== undefined && { server }),
    ...(args !== undefined && { args }),
    ...(diff !== undefined && { diff }),
    ...(parent !== undefined && { parent_tool_call_id: parent }),
  }
}
