import { openWorkspace } from "../../files/workspaces/files.ts"
import { openSessionLog } from "../../kernel/session-log.ts"
import type { Message } from "../../models/provider.ts"
import { modelHistory } from "./model-history.ts"
import { systemPrompt } from "./prompts.ts"
import { readTranscript } from "./transcript.ts"
import type { ChatDeps, Turn } from "./turn.ts"

/** What the model is sent, frozen for this turn. */
export interface AssembledPrompt {
  system: string
  messages: Message[]
  /** The version of the files that it shows. */
  shownVersion: number
  estimatedTokens: number
}

export async function assemblePrompt(deps: ChatDeps, { context, journal }: Turn): Promise<AssembledPrompt> {
  const { signal } = context
  const session = await openSessionLog(deps, context.sid, { signal })
  const { asked } = journal
  const transcript = await readTranscript(deps, session, asked.chat_id, { signal })
  const workspace = await openWorkspace(deps, session, { signal })
  const paths = workspace.manifest.files.map(({ path }) => path)
  const system = systemPrompt(undefined)
  const messages: Message[] = [
    ...fileTree(paths),
    ...modelHistory(transcript, asked.seq),
    { role: "user", content: asked.content },
  ]
  const chars = messages.reduce((sum, { content }) => sum + content.length, system.length)
  return { system, messages, shownVersion: workspace.at.version, estimatedTokens: Math.ceil(chars / 4) }
}

function fileTree(paths: string[]): Message[] {
  if (paths.length === 0) return []
  const head = "# Repository Files\n\nComplete list of files in the repository:\n\n"
  const content = `${head}# File Tree (${paths.length} files)\n\n${[...paths].sort().join("\n")}`
  return [
    { role: "user", content },
    { role: "assistant", content: "Ok." },
  ]
}
