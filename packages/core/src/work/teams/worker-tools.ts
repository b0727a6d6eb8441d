import * as z from "zod"
import { workspacePath } from "../../files/workspaces/path.ts"
import type { SessionState } from "../../state.ts"
import { type DurableTool, defineDurableTool } from "../harness/durable-tools.ts"
import { publishedIn, stagedFiles, writeChange } from "./files.ts"
import { type Member, onBoard } from "./member.ts"
import { publishRefusal } from "./node-rules.ts"
import { COORDINATOR } from "./schema.ts"
import { sharedTools } from "./shared-tools.ts"
import { sendMessage } from "./team-rules.ts"

/** The tools of a worker at its node. */
export function workerTools(member: Member & { nodeId: string }): DurableTool[] {
  const { id, nodeId, messages, context } = member
  return [
    defineDurableTool({
      name: "publish",
      description: "Publish the files that you have written as the result of your node. This ends your work on it.",
      parameters: z.object({ summary: z.string().min(1).max(2000) }),
      run({ summary }) {
        const staged = stagedFiles(messages)
        const files = staged.size > 0 ? [...staged] : [["result.md", `${summary}\n`] as const]
        const changes = files.map(([path, text]) => writeChange(`${publishedIn(nodeId)}/${path}`, text))
        const paths = files.map(([path]) => path)
        const completed = { type: "work_node_completed" as const, node_id: nodeId, summary, files: paths }
        const refusal = ({ team }: Pick<SessionState, "team">) => publishRefusal(team, { nodeId, runId: context.runId })
        return { answer: `Published ${paths.join(", ")}.`, changes, events: [completed], refusal }
      },
    }),
    defineDurableTool({
      name: "write_file",
      description: "Write a text file of your node, whole. It is published with your result.",
      parameters: z.object({ path: z.string().max(1000), content: z.string().max(1_000_000) }),
      kind: "write",
      run: ({ path, content }) => ({ answer: `Wrote ${workspacePath(path)}, ${content.length} characters.` }),
    }),
    defineDurableTool({
      name: "checkpoint",
      description: "Tell how far you are.",
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
    ...sharedTools(member),
  ]
}
