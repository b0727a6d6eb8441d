import type { NewEvent } from "../../events.ts"
import type { CliId } from "../clis/clis.ts"
import type { AgentEvent } from "../clis/protocol.ts"
import type { Problem } from "../clis/schema.ts"
import { createMessages } from "./messages.ts"
import { createRunningTools } from "./running-tools.ts"
import type { Summary } from "./schema.ts"

/** Converter from an agent's output to events. Also collects what is needed when the agent's turn ends. */
export interface Transcript {
  /**
   * Returns the events to append for this agent event. Parts of a message are buffered until the message is complete.
   */
  take(event: AgentEvent): NewEvent[]
  /** Returns the last events of a turn. They also close tool calls that have no result. */
  close(): NewEvent[]
  readonly nativeSession: string | null
  readonly end: Extract<AgentEvent, { type: "turn_completed" | "turn_failed" }> | undefined
  readonly retrying: Problem | undefined
  readonly summary: Summary | undefined
  readonly lastMessage: string
}

/** Assumed size of the context window in tokens, if the actual size is unknown. */
const USUAL_WINDOW = 200_000

export function createTranscript(deps: { cli: CliId; now: () => number }): Transcript {
  const messages = createMessages(deps)
  const tools = createRunningTools(deps)
  let nativeSession: string | null = null
  let end: Transcript["end"]
  let retrying: Problem | undefined
  let context: Extract<AgentEvent, { type: "context" }> | undefined

  function take(event: AgentEvent): NewEvent[] {
    if (event.type === "text" || event.type === "thinking") {
      retrying = undefined
      return messages.add(event)
    }
    const before = messages.flush()
    retrying = event.type === "retrying" ? event.problem : event.type === "quota" ? retrying : undefined
    return [...before, ...logged(event)]
  }

  /** Returns an event if the context's size has changed noticeably. Programs report it with every answer. */
  function contextChanged(event: Extract<AgentEvent, { type: "context" }>): NewEvent[] {
    const { usedTokens: used_tokens, windowTokens: window_tokens } = event
    const differs = Math.abs(used_tokens - (context?.usedTokens ?? 0)) >= (window_tokens ?? USUAL_WINDOW) / 100
    if (context && !differs && context.windowTokens === window_tokens) return []
    context = event
    return [{ type: "agent_context", cli: deps.cli, used_tokens, window_tokens }]
  }

  function logged(event: Exclude<AgentEvent, { type: "text" | "thinking" }>): NewEvent[] {
    switch (event.type) {
      case "session":
        if (event.id === nativeSession) return []
        nativeSession = event.id
        return [{ type: "agent_session_opened", cli: deps.cli, native_session_id: event.id, model: event.model }]
      case "tool_started":
        return tools.started(event)
      case "tool_finished":
        return tools.finished(event)
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
        // Add no event here. The code that decides on permissions logs the result.
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

  return {
    take,
    close: () => [...messages.flush(), ...tools.close()],
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
      return messages.summary
    },
    get lastMessage() {
      return messages.lastMessage
    },
  }
}
