import * as z from "zod"
import { WorkBudgetChange } from "../../../people/budget/schema.ts"
import { charLimit } from "../../../text/text-limits-schema.ts"
import { CheckCommands } from "../../gate/schema.ts"
import { type DurableTool, defineDurableTool } from "../../harness/durable-tools.ts"
import { createNode } from "../node-rules.ts"
import { orThrow, teamOf } from "../refusals.ts"
import { NodeId, StageContract, StageName } from "../schema.ts"
import { sendMessage } from "../team-rules.ts"
import { unreadNews } from "../views/news.ts"
import { askHumanTool } from "./ask-human.ts"
import { fileTools } from "./file-tools.ts"
import { type Member, onBoard } from "./member.ts"
import { memoryTools } from "./memory-tools.ts"
import { triggerTools } from "./trigger-tools.ts"
import { webTools } from "./web-tools.ts"

const Text = z.string().max(1_000_000)
const Path = z.string().max(1024)

/** Returns the tools that every team member has. */
export function sharedTools(member: Member): DurableTool[] {
  return [
    ...boardTools(member),
    ...fileTools(member),
    ...webTools(member),
    ...memoryTools(member),
    ...triggerTools(member),
    askHumanTool(member),
  ]
}

function boardTools({ deps, context, id, nodeId: parent }: Member): DurableTool[] {
  return [
    defineDurableTool({
      name: "create_work_node",
      description: "Add a node, a piece of work, to the board. It waits until the coordinator assigns it.",
      parameters: z.object({
        task: z.string().max(...charLimit("goal")),
        deps: z.array(z.string()).default([]).describe("Nodes that must be completed first"),
        refs: z.record(z.string(), Path).default({}).describe("Files to read, by name"),
        node_id: NodeId.optional().describe("The node's id; by default numbered, such as node-1"),
        stage: StageName.optional().describe("The node's stage; the first node of a stage starts it"),
        contract: StageContract.optional().describe("The stage's contract, if this node starts the stage"),
        budget: WorkBudgetChange.optional().describe("Limit for the node's runs; a person is asked when it is used up"),
        checks: CheckCommands.optional().describe(
          "Commands that must pass before the node counts as completed, in a clean copy of the project with the node's files",
        ),
      }),
      run: ({ node_id, ...node }) =>
        onBoard(
          (team) => createNode(team, { ...node, nodeId: node_id, parent }),
          (events) => events.map((event) => ("node_id" in event ? `Created ${event.node_id}.` : "")).join(""),
        ),
    }),
    defineDurableTool({
      name: "send_message",
      description: "Send a message to a worker by name, to coordinator, to human, or to all.",
      parameters: z.object({ to: z.string().max(100), content: Text }),
      run: ({ to, content }) =>
        onBoard(
          (team) => sendMessage(team, { from: id, to, content, messageId: deps.newId("msg") }),
          () => "Sent.",
        ),
    }),
    defineDurableTool({
      name: "check_messages",
      description: "Read new messages now. You receive them before your next answer anyway.",
      parameters: z.object({}),
      async run() {
        const team = orThrow(teamOf(await context.catchUp()))
        const news = await unreadNews(deps, { sid: context.sid, team, member: id }, context)
        return news ? { answer: news.say, tells: news.tells } : { answer: "There is nothing new." }
      },
    }),
  ]
}
