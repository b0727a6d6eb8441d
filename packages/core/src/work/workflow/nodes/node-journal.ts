import type { RunnableConfig } from "@langchain/core/runnables"
import type { NewEvent } from "../../../events.ts"
import type { Clock } from "../../../time.ts"
import type { RunContext } from "../../runs/run-context.ts"
import type { FileText, NodeRef } from "../../runs/run-writer.ts"
import { advanceResumePoint, type ResumePoint } from "../checkpoints/resume-point.ts"
import type { NodeName, NodeUpdate, WorkflowInput } from "../schema.ts"

/** A visit of a node, from `node_started` to `node_finished`. */
export interface NodeSpan {
  readonly nodeRef: Required<NodeRef>
  /** File written in the visit, if any. */
  readonly filePath: string | undefined
  /** Emits a piece of model output. */
  emitText(piece: string): void
  /** Emits part of a file's text while the model is writing it. */
  emitFileText(part: FileText): void
  /** Emits the number of characters of the model's reasoning so far. */
  emitReasoning(chars: number): void
  write(events: NewEvent[]): Promise<void>
  finish(update: NodeUpdate): Promise<void>
}

/** Log of the node events, with the run's progress derived from them. */
export type Journal = ReturnType<typeof createJournal>

/** Creates a journal that continues from the progress of earlier executors. */
export function createJournal(context: RunContext<WorkflowInput>, clock: Clock, from: ResumePoint) {
  let progress = from

  /**
   * Starts a visit of a node. Only the coder specifies a file. Counts the visit before its event is appended, so that
   * concurrent visits have different iteration numbers.
   */
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
 * Returns the fields that describe LangGraph's task. The namespace lists the enclosing graphs, outermost first, as
 * `node:task|node:task`. The last entry, which is the task itself, is removed, so the outermost graph has an empty
 * namespace.
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
