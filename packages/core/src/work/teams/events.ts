import * as z from "zod"
import { event } from "../../kernel/define-event.ts"
import { large } from "../../log/event.ts"
import { NodeId } from "./schema.ts"

const node = { node_id: NodeId }
const files = z.array(z.string())

/** A team: its coordinator's board, its workers, and what they say to one another. */
export const teamEvents = [
  event("team_started", "A team was given a goal.", {
    goal: large(z.string()),
    max_concurrent: z.int().positive().describe("The nodes that are worked on at once"),
  }),
  event("team_message_sent", "A member of a team, or a person, wrote to another.", {
    from: z.string().describe("The id of a worker, `coordinator` or `human`"),
    to: z.string().describe("The id of a worker, `coordinator`, `human` or `all`"),
    content: large(z.string()),
    suggestion: z.boolean().optional().describe("Whether it proposes what to do next"),
  }),
  event("team_paused", "The team begins nothing new; what is under way stops after its present step.", {}),
  event("team_stopped", "The team's workers were interrupted. A message resumes it.", {}),
  event("team_resumed", "The team goes on.", {}),
  event("team_finished", "The coordinator declared the goal reached; the published files are in the project.", {
    summary: z.string(),
    files,
  }),
  event("work_node_created", "A piece of work was put on the board.", {
    ...node,
    task: z.string().describe("Its first line"),
    spec: large(z.string()).describe("The task, in full"),
    depends_on: z.array(NodeId),
    refs: z.record(z.string(), z.string()).describe("Files to read, by name"),
    parent: NodeId.optional().describe("The node whose worker asked for it"),
  }),
  event("work_node_assigned", "A worker was given a node. It begins when there is room.", {
    ...node,
    worker_id: z.string(),
  }),
  event("work_node_started", "A worker began a node, or goes on with one that was interrupted.", {
    ...node,
    worker_id: z.string(),
    node_run_id: z.string(),
  }),
  event("work_node_checkpointed", "A worker told how far it is.", { ...node, summary: z.string() }),
  event("work_node_completed", "A worker published its result.", { ...node, summary: z.string(), files }),
  event("work_node_failed", "A worker gave a node up.", { ...node, reason: z.string() }),
  event("work_node_reopened", "A node that failed is to be done again.", { ...node }),
  event("worker_spawned", "A worker joined the team.", {
    worker_id: z.string(),
    name: z.string(),
    role: z.string(),
    worker_type: z.enum(["harnessed"]),
    model: z.string(),
    max_iterations: z.int().positive().describe("Model calls for one node"),
  }),
] as const
