import { openWorkspace } from "../../../files/workspaces/files.ts"
import { workspacePath } from "../../../files/workspaces/path.ts"
import { openSessionLog } from "../../../kernel/session-log.ts"
import type { Completion, ModelRequest } from "../../../models/provider.ts"
import { DEFAULT_MAX_INPUT_TOKENS, dropLargestFiles, estimateTokens } from "../../context/budgets.ts"
import { workingFilesSection } from "../../context/sections.ts"
import { editsOf } from "../edits/apply-edits.ts"
import { draftEdits } from "../edits/draft-edits.ts"
import type { AssembledPrompt } from "../prompt/assemble.ts"
import { selectable } from "../rules.ts"
import { answered } from "./answered.ts"
import type { ChatDeps, Turn } from "./turn.ts"

type Prompt = Pick<ModelRequest, "system" | "messages" | "cacheAfter">

/**
 * Checks whether an answer edits files that the model hasn't seen. If so, adds these files and returns the prompt for
 * the rest of the answer. Otherwise, returns undefined. Files are added at most once per turn, and only if the chat may
 * edit them.
 */
export async function continueWithFiles(
  deps: ChatDeps,
  turn: Turn,
  prompt: AssembledPrompt,
  completion: Completion,
): Promise<Prompt | undefined> {
  const { context, journal } = turn
  if (!journal.added) {
    const files = await unseenFiles(deps, turn, prompt, completion)
    if (files.length === 0) return undefined
    const { usage } = answered(turn, { ...completion, shown: prompt, finish_reason: "end", cancelled: false })
    const event = { type: "chat_files_added" as const, ...turn.ids, files, content: completion.text, usage }
    await context.write([event])
    journal.added = { files, content: completion.text, usage }
  }
  const { files, content } = journal.added
  const shown = await readShown(deps, turn, prompt, files)
  return {
    ...{ system: prompt.system, cacheAfter: prompt.cacheAfter },
    messages: [
      ...prompt.messages,
      { role: "assistant", content },
      { role: "user", content: `${workingFilesSection(shown)}\n\n${CONTINUATION}` },
    ],
  }
}

const CONTINUATION =
  "Your answer edits these files, which you hadn't seen, so these edits weren't made. The files are in the context now: write the edits to them again. Your other edits are applied as they are, so don't repeat them."

/**
 * Returns the existing files that the answer edits although they weren't shown. Leaves out files that don't fit into
 * the prompt.
 */
async function unseenFiles(
  deps: ChatDeps,
  turn: Turn,
  prompt: AssembledPrompt,
  { text: content, stopReason }: Completion,
): Promise<string[]> {
  const { asked } = turn.journal
  if (asked.mode === "review" || stopReason === "max_tokens") return []
  const shown = await openShown(deps, turn, prompt)
  const { edits } = editsOf({ asked, answered: { content, finish_reason: stopReason } }, shown)
  if (edits.length === 0) return []
  const selected = new Set(asked.files)
  const about = { shown, now: shown, selected, message: asked.content, blocked: new Map<string, string>() }
  const draft = await draftEdits(edits, { ...about, signal: turn.context.signal })
  const unseen = draft.edits.flatMap(({ status, file_path }) => (status === "not_in_context" ? [file_path] : []))
  const sizes = [...new Set(unseen)].flatMap((path) => {
    const node = shown.stat(workspacePath(path))
    return node?.type === "file" ? [{ path, tokens: estimateTokens(node.size) }] : []
  })
  const otherTokens = prompt.estimatedTokens + estimateTokens(content.length)
  const { kept } = dropLargestFiles(sizes, { otherTokens, maxInputTokens: DEFAULT_MAX_INPUT_TOKENS })
  const room = selectable([...asked.files, ...kept])
  return kept.filter((path) => room.includes(path))
}

async function readShown(deps: ChatDeps, turn: Turn, prompt: AssembledPrompt, paths: readonly string[]) {
  const workspace = await openShown(deps, turn, prompt)
  const read = async (path: string) => {
    return { path, text: await workspace.readText(workspacePath(path), { signal: turn.context.signal }) }
  }
  return Promise.all(paths.map(read))
}

async function openShown(deps: ChatDeps, { context: { sid, signal } }: Turn, { shown }: AssembledPrompt) {
  return openWorkspace(deps, await openSessionLog(deps, sid, { signal }), { at: shown, signal })
}
