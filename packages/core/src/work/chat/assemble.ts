import { createReadOutline } from "../../files/symbols/outline-store.ts"
import { outlineText } from "../../files/symbols/outline-text.ts"
import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { type WorkspacePath, workspacePath } from "../../files/workspaces/path.ts"
import { artifactBlobs } from "../../kernel/keys.ts"
import { openSessionLog, type SessionLog } from "../../kernel/session-log.ts"
import type { Image, Message } from "../../models/provider.ts"
import { readAll } from "../../storage/blobs.ts"
import { ACKNOWLEDGED, mapSection, type ShownFile, treeSection, workingFilesSection } from "../context/sections.ts"
import { modelHistory } from "./model-history.ts"
import { systemPrompt } from "./prompts.ts"
import type { ChatImage } from "./schema.ts"
import { readTranscript } from "./transcript.ts"
import type { ChatDeps, Turn } from "./turn.ts"

/** What the model is sent, frozen for this turn. */
export interface AssembledPrompt {
  system: string
  messages: Message[]
  /** The version of the files that it shows. */
  shown: WorkspaceVersion
  /** Selected files that were left out, for the prompt would have been too long. */
  shedFiles: string[]
  estimatedTokens: number
}

/** The longest prompt, in tokens, where nothing is known of the model. */
const MAX_INPUT_TOKENS = 128_000
const SHED_ABOVE = 0.9
const IMAGE_TOKENS = 1000

/** A prompt of files that are mapped has at most so many of them, and so much text of them. */
const MAX_MAPPED_FILES = 300
const MAX_MAP_CHARS = 60_000
/** A turn waits so long for the map; what isn't in it by then is in the next one's. */
const MAP_WITHIN_MS = 2000

export async function assemblePrompt(deps: ChatDeps, { context, journal }: Turn): Promise<AssembledPrompt> {
  const { signal } = context
  const session = await openSessionLog(deps, context.sid, { signal })
  const { asked } = journal
  const transcript = await readTranscript(deps, session, asked.chat_id, { signal })
  const workspace = await openWorkspace(deps, session, { signal })
  const { files } = await readSelection(workspace, asked.files, { signal })
  const map = await mapOf(deps, session, workspace, { without: new Set(files.map(({ path }) => path)), signal })
  const paths = workspace.manifest.files.map(({ path }) => path)
  const history = modelHistory(transcript, asked.seq)
  const images = await readImages(deps, session, asked.images, { signal })
  const system = systemPrompt(undefined) + (map === "" ? "" : `\n\n${mapSection(map)}`)
  const question: Message = { role: "user", content: asked.content, ...(images.length > 0 && { images }) }
  const around = [...pair(paths.length > 0 && treeSection(paths)), ...history, question]
  const room = Math.floor(MAX_INPUT_TOKENS * SHED_ABOVE) - tokensOf(system, around)
  const { shown, shedFiles } = shed(files, room)
  const messages = [
    ...pair(paths.length > 0 && treeSection(paths)),
    ...pair(shown.length > 0 && workingFilesSection(shown)),
    ...history,
    question,
  ]
  return { system, messages, shown: workspace.at, shedFiles, estimatedTokens: tokensOf(system, messages) }
}

/** The texts of the selected files, and the names of what has none. */
export async function readSelection(
  workspace: Workspace,
  selected: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<{ files: ShownFile[]; binary: string[]; invalid: string[] }> {
  const files: ShownFile[] = []
  const binary: string[] = []
  const invalid: string[] = []
  for (const path of selected) {
    const checked = pathOf(path)
    const node = checked && workspace.stat(checked)
    if (!checked || node?.type !== "file") invalid.push(path)
    else if (node.binary) binary.push(path)
    else files.push({ path, text: await workspace.readText(checked, { signal }) })
  }
  return { files, binary, invalid }
}

function pair(section: string | false): Message[] {
  if (section === false) return []
  return [
    { role: "user", content: section },
    { role: "assistant", content: ACKNOWLEDGED },
  ]
}

/** Leaves out the largest files until the rest fits. */
function shed(files: ShownFile[], roomTokens: number): { shown: ShownFile[]; shedFiles: string[] } {
  const shown = files.toSorted((a, b) => a.text.length - b.text.length)
  const shedFiles: string[] = []
  while (shown.length > 0 && shown.reduce((sum, { text }) => sum + text.length / 4, 0) > roomTokens) {
    const largest = shown.pop()
    if (largest) shedFiles.push(largest.path)
  }
  return { shown, shedFiles }
}

function tokensOf(system: string, messages: Message[]): number {
  const ofMessage = (message: Message) =>
    message.content.length / 4 + (message.role === "user" ? (message.images?.length ?? 0) * IMAGE_TOKENS : 0)
  return Math.ceil(messages.reduce((sum, message) => sum + ofMessage(message), system.length / 4))
}

/** The declarations of the files that are not shown in full: the same bytes for the same files. */
async function mapOf(
  deps: ChatDeps,
  { sid, state }: SessionLog,
  workspace: Workspace,
  { without, signal }: { without: ReadonlySet<string>; signal: AbortSignal },
): Promise<string> {
  const readOutline = createReadOutline(deps.blobs, { sid, incarnation: state.session.incarnation })
  const until = deps.clock.monotonic() + MAP_WITHIN_MS
  const parts: string[] = []
  let chars = 0
  for (const { path } of workspace.manifest.files.slice(0, MAX_MAPPED_FILES)) {
    if (without.has(path)) continue
    if (deps.clock.monotonic() > until || chars > MAX_MAP_CHARS) break
    const outline = await readOutline(workspace, path, { signal })
    if (!outline || outline.symbols.length === 0) continue
    const lines = outlineText(outline, { members: true }).replace(/^/gm, "  ")
    const part = `${path}:\n${lines}`
    parts.push(part)
    chars += part.length
  }
  return parts.join("\n\n")
}

async function readImages(
  { blobs }: ChatDeps,
  { sid, state }: SessionLog,
  images: readonly ChatImage[],
  options: { signal: AbortSignal },
): Promise<Image[]> {
  const read: Image[] = []
  for (const { path, media_type: mediaType } of images) {
    const key = artifactBlobs(sid, state.session.incarnation) + path.slice("artifacts/".length)
    const source = await blobs.get(key, options)
    if (source) read.push({ mediaType, base64: (await readAll(source)).toString("base64") })
  }
  return read
}

function pathOf(path: string): WorkspacePath | undefined {
  try {
    return workspacePath(path)
  } catch {
    return undefined
  }
}
