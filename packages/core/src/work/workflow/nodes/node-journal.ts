import type { RunnableConfig } from "@langchain/core/runnables"
import type { NewEvent } from "../../../events.ts"
import type { Clock } from "../../../time.ts"
import type { RunContext } from "../../runs/run-context.ts"
import type { FileText, NodeRef } from "../../runs/run-writer.ts"
import { advanceResumePoint, type ResumePoint } from "../checkpoints/resume-point.ts"
import type { NodeName, NodeUpdate, WorkflowInput } from "../schema.ts"

/** The span of one visit of a node, from `node_started` to `node_finished`. */
export interface NodeSpan {
  readonly nodeRef: Required<NodeRef>
  /** The file that the visit writes, if it writes one. */
  readonly filePath: string | undefined
  /** Emits a piece of a model's text. */
  emitText(piece: string): void
  /** Emits a part of a file's text while it is written. */
  emitFileText(part: FileText): void
  /** Emits how many characters a model has thought. */
  emitReasoning(chars: number): void
  write(events: NewEvent[]): Promise<void>
  finish(update: NodeUpdate): Promise<void>
}

/** Appends the events of nodes to the log, and folds the progress of the run from them. */
export interface Journal {
  readonly progress: ResumePoint
  /** Starts a visit; of the coder, with the file that it writes. */
  startSpan(node: NodeName, config: RunnableConfig, filePath?: string): Promise<NodeSpan>
}

/** Continues from the point that earlier executors reached. */
export function createJournal(context: RunContext<WorkflowInput>, clock: Clock, from: ResumePoint): Journal {
  let progress = from

  // Visits may go on side by side, so the progress is that of the calls: what is still being appended counts.
  async function startSpan(node: NodeName, config: RunnableConfig, filePath?: string): Promise<NodeSpan> {
    const { namespace, ...task } = taskOf(config)
    const nodeRef: Required<NodeRef> = { node, iteration: progress.visits[node] + 1, namespace }
    const startedAt = clock.monotonic()
    const file = filePath !== undefined && { file_path: filePath }
    progress = advanceResumePoint(progress, { type: "node_started", ...nodeRef, ...file })
    await context.write([{ type: "node_started", ...nodeRef, ...task, ...file }])
    return {
      nodeRef,
      filePath,
      emitText: (piece) => context.emitText(nodeRef, piece),
      emitFileText: (part) => context.emitFileText(nodeRef, part),
      emitReasoning: (chars) => context.emitReasoning(nodeRef, chars),
      write: (events) => context.write(events),
      async finish(update) {
        const duration_ms = Math.round(clock.monotonic() - startedAt)
        progress = advanceResumePoint(progress, { type: "node_finished", node, update })
        await context.write([{ type: "node_finished", ...nodeRef, ...task, duration_ms, update }])
      },
    }
  }

  return {
    get progress() {
      return progress
    },
    startSpan,
  }
}

/**
 * The fields of LangGraph's task. Its namespace lists the graphs around it, outermost first, as
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
