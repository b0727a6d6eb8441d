import type { NewEvent } from "../../events.ts"
import type { AgentEvent } from "../clis/protocol.ts"
import { clip } from "../protocols/tool-kinds.ts"

type Started = Extract<AgentEvent, { type: "tool_started" }>
type Finished = Extract<AgentEvent, { type: "tool_finished" }>

/** Tool calls that have started but not finished. */
export interface RunningTools {
  started(call: Started): NewEvent[]
  /** Returns the event that ends a call. Empty if the call isn't running. */
  finished(call: Finished): NewEvent[]
  /** Returns events that mark all running calls as failed. */
  close(): NewEvent[]
}

export function createRunningTools({ now }: { now: () => number }): RunningTools {
  const startedAt = new Map<string, number>()

  function finished({ id, ok, exitCode, summary }: Finished): NewEvent[] {
    const since = startedAt.get(id)
    if (since === undefined) return []
    startedAt.delete(id)
    const duration_ms = Math.max(0, Math.round(now() - since))
    const exit_code = exitCode ?? (ok ? 0 : 1)
    return [{ type: "tool_call_finished", tool_call_id: id, exit_code, duration_ms, llm_summary: summary }]
  }

  return {
    started(call) {
      startedAt.set(call.id, now())
      return [toolStarted(call)]
    },
    finished,
    close() {
      const unanswered = { ok: false, exitCode: null, summary: "The tool never returned a result." }
      return [...startedAt.keys()].flatMap((id) => finished({ type: "tool_finished", id, ...unanswered }))
    },
  }
}

function toolStarted({ id, tool, name, path, fileBytes, command, server, args, diff, parent }: Started): NewEvent {
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
