import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { NodeName, NodeUpdate } from "./schema.ts"

const inNode = { node: NodeName, iteration: z.int().positive(), namespace: z.array(z.string()) }

/** Events of a workflow's nodes. */
export const workflowEvents = [
  event("node_started", "A node of the workflow started.", {
    ...inNode,
    step: z.int(),
    task_id: z.string(),
    triggers: z.array(z.string()),
    file_path: z.string().optional().describe("File the coder writes in this visit"),
  }),
  event("node_finished", "A node of the workflow finished.", {
    ...inNode,
    step: z.int(),
    task_id: z.string(),
    duration_ms: z.number(),
    update: large(NodeUpdate),
  }),
] as const
