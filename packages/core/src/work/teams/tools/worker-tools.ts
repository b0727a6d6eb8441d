import * as z from "zod"
import { workspacePath } from "../../../files/workspaces/path.ts"
import { type DurableTool, defineDurableTool, mistake } from "../../harness/durable-tools.ts"
import { currentFiles } from "../files.ts"
import { nodeOf, orThrow, teamOf } from "../refusals.ts"
import { COORDINATOR, type TeamCommands } from "../schema.ts"
import { sendMessage } from "../team-rules.ts"
import { readEvents } from "../views/news.ts"
import { bashTools } from "./bash-tool.ts"
import { type Member, onBoard } from "./member.ts"
import { publish } from "./publish.ts"
import { sharedTools } from "./shared-tools.ts"
import { writeTools } from "./write-tools.ts"

export function workerTools(
  member: Member & { nodeId: string },
  { commands }: { commands: TeamCommands | null },
): DurableTool[] {
  const { id, nodeId, context } = member
  return [
    defineDurableTool({
      name: "publish",
      description: "Publish the files you have written as your node's result. This ends your work on the node.",
      parameters: z.object({ summary: z.string().min(1).max(2000) }),
      run: ({ summary }) => publish(member, summary),
    }),
    ...writeTools(member),
    defineDurableTool({
      name: "checkpoint",
      description: "Report your progress.",
      parameters: z.object({ summary: z.string().min(1).max(2000) }),
      run({ summary }) {
        return { answer: "Noted.", events: [{ type: "work_node_checkpointed", node_id: nodeId, summary }] }
      },
    }),
    defineDurableTool({
      name: "suggest_next",
      description: "Suggest to the coordinator what to do next.",
      parameters: z.object({ suggestion: z.string().min(1).max(4000) }),
      run: ({ suggestion: content }) =>
        onBoard(
          (team) => sendMessage(team, { from: id, to: COORDINATOR, content, suggestion: true, messageId: "" }),
          () => "Sent to the coordinator.",
        ),
    }),
    defineDurableTool({
      name: "read_ref",
      description: "Read a reference of your task by its name. The task may have shown only its beginning.",
      parameters: z.object({ name: z.string().max(100), offset: z.int().nonnegative().default(0) }),
      kind: "read",
      async run({ name, offset }) {
        const refs = await refsOf(member)
        const path = Object.hasOwn(refs, name) ? refs[name] : undefined
        if (path === undefined)
          throw mistake(
            `There is no reference ${name}. Available references: ${Object.keys(refs).join(", ") || "none"}.`,
          )
        const text = await (await currentFiles(member.deps, context)).readText(workspacePath(path), context)
        return { answer: text.slice(offset) }
      },
    }),
    ...bashTools(member, commands),
    ...sharedTools(member),
  ]
}

/** Returns the paths that a task refers to, by name. */
async function refsOf({ deps, context, nodeId }: Member & { nodeId: string }): Promise<Record<string, string>> {
  const node = orThrow(nodeOf(orThrow(teamOf(context.state())), nodeId))
  const [created] = await readEvents(deps, context.sid, [node.createdSeq], context)
  return created?.type === "work_node_created" ? created.refs : {}
}
