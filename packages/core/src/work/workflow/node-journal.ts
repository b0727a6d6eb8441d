import type { RunnableConfig } from "@langchain/core/runnables"
import type { NewEvent } from "../../events.ts"
import type { Clock } from "../../time.ts"
import type { RunContext } from "../runs/run-context.ts"
import type { Speaker } from "../runs/run-writer.ts"
import { advanceResumePoint, type ResumePoint } from "./resume-point.ts"
import type { NodeName, NodeUpdate, WorkflowInput } from "./schema.ts"

/** One visit of a node, which tells of itself as it goes. */
export interface Visit {
  readonly speaker: Required<Speaker>
  /** A piece of a model's text. */
  say(piece: string): void
  write(events: NewEvent[]): Promise<void>
  finish(update: NodeUpdate): Promise<void>
}

/** Tells the log what the nodes do, and knows how far the run is. */
export interface Journal {
  readonly progress: ResumePoint
  begin(node: NodeName, config: RunnableConfig): Promise<Visit>
}

/** Continues from the point that earlier executors reached. */
export function createJournal(context: RunContext<WorkflowInput>, clock: Clock, from: ResumePoint): Journal {
  let progress = from

  async function begin(node: NodeName, config: RunnableConfig): Promise<Visit> {
    const { namespace, ...task } = taskOf(config)
    const speaker: Required<Speaker> = { node, iteration: progress.visits[node] + 1, namespace }
    const startedAt = clock.monotonic()
    await context.write([{ type: "node_started", ...speaker, ...task }])
    progress = advanceResumePoint(progress, { type: "node_started", ...speaker })
    return {
      speaker,
      say: (piece) => context.say(speaker, piece),
      write: (events) => context.write(events),
      async finish(update) {
        const duration_ms = Math.round(clock.monotonic() - startedAt)
        await context.write([{ type: "node_finished", ...speaker, ...task, duration_ms, update }])
        progress = advanceResumePoint(progress, { type: "node_finished", node, update })
      },
    }
  }

  return {
    get progress() {
      return progress
    },
    begin,
  }
}

/**
 * Which of LangGraph's tasks this is. Its namespace lists the graphs around it, outermost first, as
 * `node:task|node:task`; the last entry is the task itself, so in the outermost graph nothing remains.
 */
function taskOf({ metadata = {}, configurable = {} }: RunnableConfig) {
  const checkpointNs: string = configurable.checkpoint_ns ?? ""
  return {
    step: Number(metadata.langgraph_step ?? 0),
    task_id: String(configurable.__pregel_task_id ?? ""),
    triggers: (metadata.langgraph_triggers as string[] | undefined) ?? [],
    namespace: checkpointNs.split("|").slice(0, -1),
  }
}
