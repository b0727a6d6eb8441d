import * as z from "zod"
import type { Change } from "../../../files/workspaces/manifest.ts"
import { workspacePath } from "../../../files/workspaces/path.ts"
import type { SessionState } from "../../../state.ts"
import { type DurableTool, defineDurableTool, mistake } from "../../harness/durable-tools.ts"
import {
  COMMAND_FILES,
  currentFiles,
  publishedIn,
  type StagedFile,
  scratchOf,
  stagedFiles,
  writeChange,
} from "../files.ts"
import { publishRefusal } from "../node-rules.ts"
import { nodeOf, orThrow, teamOf } from "../refusals.ts"
import { AUTONOMOUS, COORDINATOR, type TeamCommands } from "../schema.ts"
import { sendMessage } from "../team-rules.ts"
import { readEvents } from "../views/news.ts"
import { bashTools } from "./bash-tool.ts"
import { checkFiles } from "./check-files.ts"
import { type Member, onBoard } from "./member.ts"
import { proveNode } from "./prove-node.ts"
import { sharedTools } from "./shared-tools.ts"
import { writeTools } from "./write-tools.ts"

/** The tools of a worker at its node. */
export function workerTools(
  member: Member & { nodeId: string },
  { commands }: { commands: TeamCommands | null },
): DurableTool[] {
  const { id, nodeId, messages, context } = member
  return [
    defineDurableTool({
      name: "publish",
      description: "Publish the files that you have written as the result of your node. This ends your work on it.",
      parameters: z.object({ summary: z.string().min(1).max(2000) }),
      async run({ summary }) {
        // Nobody else writes to the node, so this holds until it is published.
        const now = await currentFiles(member.deps, context)
        const staged = stagedFiles(messages, now, nodeId)
        await checkFiles(member, isCommand(member) ? [...staged.keys()].filter(isKept) : staged.keys())
        const verdict = await proveNode(member, summary)
        const own = isCommand(member) ? promoted(staged) : [...staged.values()]
        const files = own.length > 0 ? own : [writeChange("result.md", `${summary}\n`)]
        const published = files.map((file) => ({ ...file, path: workspacePath(`${publishedIn(nodeId)}/${file.path}`) }))
        const scratch = workspacePath(scratchOf(nodeId))
        const left: Change[] = now.stat(scratch) ? [{ op: "delete", path: scratch, recursive: true }] : []
        const changes = [...published, ...left]
        const paths = files.map(({ path }) => path)
        const completed = { type: "work_node_completed" as const, node_id: nodeId, summary, files: paths, verdict }
        const refusal = ({ team }: Pick<SessionState, "team">) => publishRefusal(team, { nodeId, runId: context.runId })
        return { answer: `Published ${paths.join(", ")}.`, changes, events: [completed], refusal }
      },
    }),
    ...writeTools(member),
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
    defineDurableTool({
      name: "read_ref",
      description:
        "Read a file that your task names as a reference, by that name; what was shown of it may be only its beginning.",
      parameters: z.object({ name: z.string().max(100), offset: z.int().nonnegative().default(0) }),
      kind: "read",
      async run({ name, offset }) {
        const refs = await refsOf(member)
        const path = Object.hasOwn(refs, name) ? refs[name] : undefined
        if (path === undefined)
          throw mistake(`There is no reference ${name}; there are: ${Object.keys(refs).join(", ") || "none"}.`)
        const text = await (await currentFiles(member.deps, context)).readText(workspacePath(path), context)
        return { answer: text.slice(offset) }
      },
    }),
    ...bashTools(member, commands),
    ...sharedTools(member),
  ]
}

function isCommand({ context, id }: Member): boolean {
  return context.state().team?.workers[id]?.type === AUTONOMOUS
}

/** Whether a file that a command leaves is published. */
const isKept = (path: string) => !path.startsWith("_")

/** The files of a worker that is a command, without those by which it is talked to; the text of its result is a file, too. */
function promoted(staged: ReadonlyMap<string, StagedFile>): StagedFile[] {
  const files = [...staged.values()].filter(({ path }) => isKept(path))
  const result = staged.get(COMMAND_FILES.result)
  const path = workspacePath("result.md")
  if (result === undefined || files.some((file) => file.path === path)) return files
  const size = "bytes" in result ? result.bytes.length : result.file.size
  return size === 0 ? files : [...files, { ...result, path }]
}

/** The files that a node's task names, by the names that it gives them. */
async function refsOf({ deps, context, nodeId }: Member & { nodeId: string }): Promise<Record<string, string>> {
  const node = orThrow(nodeOf(orThrow(teamOf(context.state())), nodeId))
  const [created] = await readEvents(deps, context.sid, [node.createdSeq], context)
  return created?.type === "work_node_created" ? created.refs : {}
}
