import * as z from "zod"
import { type DurableTool, defineDurableTool } from "../harness/durable-tools.ts"
import { projectChanges } from "./files.ts"
import { type Member, onBoard } from "./member.ts"
import { assignNode, finishRefusal, reopenNode } from "./node-rules.ts"
import { refused } from "./refusals.ts"
import { sharedTools } from "./shared-tools.ts"
import { nodesIn } from "./state.ts"
import { spawnWorker } from "./team-rules.ts"
import { boardText } from "./texts.ts"

/** The tools of a coordinator. */
export function coordinatorTools(member: Member): DurableTool[] {
  return [...staffTools(member), ...planTools(member), ...sharedTools(member)]
}

function staffTools({ deps, context }: Member): DurableTool[] {
  return [
    defineDurableTool({
      name: "spawn_worker",
      description: "Add a worker to the team, under a human name of its own.",
      parameters: z.object({
        name: z.string().max(100),
        role: z.string().max(500),
        max_iterations: z.int().min(1).max(100).default(20).describe("Model calls for one node"),
      }),
      run({ name, role, max_iterations: maxIterations }) {
        const worker = { workerId: deps.newId("wkr"), name, role, model: context.model, maxIterations }
        return onBoard(
          (team) => spawnWorker(team, worker),
          () => `${name} is on the team, as ${worker.workerId}.`,
        )
      },
    }),
    defineDurableTool({
      name: "assign_worker",
      description: "Give a ready node to an idle worker. It begins as soon as there is room.",
      parameters: z.object({ node_id: z.string(), worker_id: z.string().describe("The worker's id or name") }),
      run: ({ node_id: nodeId, worker_id: worker }) =>
        onBoard(
          (team) => assignNode(team, { nodeId, worker }),
          () => `${nodeId} is assigned.`,
        ),
    }),
  ]
}

function planTools({ deps, context }: Member): DurableTool[] {
  return [
    defineDurableTool({
      name: "check_board",
      description: "Look at the board: all nodes and workers.",
      parameters: z.object({}),
      run: () => ({ decide: ({ team }) => (team ? { answer: boardText(team) } : refused("There is no team.")) }),
    }),
    defineDurableTool({
      name: "retry_node",
      description: "Put a node that failed back on the board, to be assigned again.",
      parameters: z.object({ node_id: z.string() }),
      run: ({ node_id }) =>
        onBoard(
          (team) => reopenNode(team, node_id),
          () => `${node_id} is pending again.`,
        ),
    }),
    defineDurableTool({
      name: "finish",
      description: "Declare the goal reached: the published files of all nodes become the project's.",
      parameters: z.object({ summary: z.string().min(1).max(4000) }),
      async run({ summary }) {
        const { team } = await context.catchUp()
        const refusal = finishRefusal(team)
        if (refusal || !team) throw refusal
        const completed = nodesIn(team, "completed").sort((a, b) => (a.endedSeq ?? 0) - (b.endedSeq ?? 0))
        const nodeIds = completed.map(({ nodeId }) => nodeId)
        const changes = await projectChanges(deps, context, nodeIds)
        const files = changes.map(({ path }) => path)
        const events = [{ type: "team_finished" as const, summary, files }]
        return { answer: "Finished.", changes, events, refusal: (state) => finishRefusal(state.team) }
      },
    }),
  ]
}
