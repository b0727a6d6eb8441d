import { createReadOutline } from "../../files/symbols/outline-store.ts"
import { outlineText } from "../../files/symbols/outline-text.ts"
import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { ManifestFile, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { readHistoryBack } from "../../kernel/history.ts"
import { artifactBlobs } from "../../kernel/keys.ts"
import { openSessionLog, type SessionLog } from "../../kernel/session-log.ts"
import { hydrateEvent } from "../../log/payload.ts"
import { mapConcurrent } from "../../map-concurrent.ts"
import { parseModelName } from "../../models/names.ts"
import type { Image, Message } from "../../models/provider.ts"
import { readAll } from "../../storage/blobs.ts"
import { type AssembledContext, assembleContext } from "../context/assemble-context.ts"
import {
  cacheTarget,
  DEFAULT_MAX_INPUT_TOKENS,
  estimateTokens,
  IMAGE_TOKENS,
  minCachedTokens,
  shedFiles,
  unknownRatio,
} from "../context/budgets.ts"
import { fileTree } from "../context/file-tree.ts"
import type { PlacedItem } from "./context-schema.ts"
import { modelHistory } from "./model-history.ts"
import { type Parts, placeContext, placedBefore, toFigures, toPlaced } from "./place-context.ts"
import { systemPrompt } from "./prompts.ts"
import type { ChatImage } from "./schema.ts"
import { sortSelection } from "./selection.ts"
import { readTranscript } from "./transcript.ts"
import type { ChatDeps, Turn } from "./turn.ts"

/** The prompt of one turn, which no longer changes. */
export interface AssembledPrompt {
  system: string
  messages: Message[]
  /** The messages after which a prefix ends that is to be cached; undefined for providers that take no marks. */
  cacheAfter: number[] | undefined
  /** The version of the files that it shows. */
  shown: WorkspaceVersion
  /** Selected files that were left out, for the prompt would have been too long. */
  shedFiles: string[]
  estimatedTokens: number
}

/** The map has at most so many files, and so much text of them. */
const MAX_MAPPED_FILES = 300
const MAX_MAP_CHARS = 60_000
const READS_AT_ONCE = 16
/** A turn waits so long for the map; what isn't in it by then is in the next one's. */
const MAP_WITHIN_MS = 2000

const LEGEND = "Each file's declarations follow its path, each behind the number of its line.\n"

/** Puts together what the model is shown, from where everything stood in the turn before; that is in the log before it is sent. */
export async function assemblePrompt(deps: ChatDeps, turn: Turn): Promise<AssembledPrompt> {
  const { context, journal } = turn
  const { signal } = context
  const session = await openSessionLog(deps, context.sid, { signal })
  const { asked } = journal
  const transcript = await readTranscript(deps, session, asked.chat_id, { signal })
  const workspace = await openWorkspace(deps, session, { signal })
  const images = await readImages(deps, session, asked.images, { signal })
  const { texts } = sortSelection(workspace, asked.files)
  const read = async ({ name, path }: (typeof texts)[number]) => {
    return { path: name, text: await workspace.readText(path, { signal }) }
  }
  const selected = await Array.fromAsync(mapConcurrent(texts, read, { atOnce: READS_AT_ONCE }))
  const symbols = await mapOf(deps, session, workspace, { signal })
  const history = modelHistory(transcript, asked.seq)
  const paths = workspace.manifest.files.map(({ path }) => path)
  const others = [...symbols.values(), ...history.map(({ content }) => content), ...fileTree(paths), asked.content]
  const { kept, shed } = shedFiles(
    selected.map(({ path, text }) => ({ path, tokens: tokensOf(text.length) })),
    {
      otherTokens: tokensOf(others.reduce((sum, { length }) => sum + length, 0)) + images.length * IMAGE_TOKENS,
      maxInputTokens: DEFAULT_MAX_INPUT_TOKENS,
    },
  )
  const parts: Parts = { symbols, history, files: selected.filter(({ path }) => kept.includes(path)) }
  const placed = await placeParts(deps, turn, session, parts)
  const { provider, model } = parseModelName(context.model, "general")
  const assembled = assembleContext({
    ...{ systemPrompt: systemPrompt(undefined), legend: symbols.size > 0 ? LEGEND : "", state: placed.state },
    files: new Map(parts.files.map(({ path, text }) => [path, text])),
    history: new Map(history.map((message) => [message.number, message])),
    ...{ tree: paths, message: asked.content, images, estimateTokens: tokensOf },
    minCachedTokens: provider === "anthropic" ? minCachedTokens(model) : undefined,
  })
  await logContext(turn, assembled, placed)
  return {
    ...{ system: assembled.system, messages: assembled.messages, shown: workspace.at, shedFiles: shed },
    cacheAfter: provider === "anthropic" ? assembled.marks : undefined,
    estimatedTokens: Object.values(assembled.tokens).reduce((sum, part) => sum + part, 0),
  }
}

type PlacedParts = ReturnType<typeof placeContext>

/** A turn that was taken over shows everything where it stood. */
async function placeParts(
  deps: ChatDeps,
  { context, journal }: Turn,
  session: SessionLog,
  parts: Parts,
): Promise<PlacedParts> {
  if (journal.placed) return { state: placedBefore(journal.placed, parts), changes: [] }
  const last = await lastPlaces(deps, session, journal.asked.chat_id, context)
  const { model } = parseModelName(context.model, "general")
  const target = cacheTarget(minCachedTokens(model))
  return placeContext(last, parts, { target, systemTokens: tokensOf(systemPrompt(undefined).length) })
}

async function lastPlaces(
  { records, blobs }: ChatDeps,
  session: SessionLog,
  chatId: string,
  options: { signal: AbortSignal },
): Promise<PlacedItem[] | null> {
  for await (const event of readHistoryBack({ records }, session, "chat", options)) {
    if (event.type !== "chat_context_prepared" || event.chat_id !== chatId) continue
    return (await hydrateEvent(blobs, event, options)).items as PlacedItem[]
  }
  return null
}

async function logContext({ context, journal }: Turn, assembled: AssembledContext, placed: PlacedParts): Promise<void> {
  if (journal.placed) return
  const { request_id, chat_id, agent_id } = journal.asked
  const about = { type: "chat_context_prepared" as const, run_id: context.runId, agent_id, request_id, chat_id }
  journal.placed = toPlaced(placed.state)
  await context.write([{ ...about, items: journal.placed, figures: toFigures(assembled, placed) }])
}

function tokensOf(chars: number): number {
  return estimateTokens(unknownRatio, chars)
}

/** The declarations of each file: the same text for the same file. */
async function mapOf(
  deps: ChatDeps,
  { sid, state }: SessionLog,
  workspace: Workspace,
  { signal }: { signal: AbortSignal },
): Promise<ReadonlyMap<string, string>> {
  const readOutline = createReadOutline(deps.blobs, { sid, incarnation: state.session.incarnation })
  const until = deps.clock.monotonic() + MAP_WITHIN_MS
  const parts = new Map<string, string>()
  let chars = 0
  const read = async ({ path }: ManifestFile) => ({ path, outline: await readOutline(workspace, path, { signal }) })
  const files = workspace.manifest.files.slice(0, MAX_MAPPED_FILES)
  for await (const { path, outline } of mapConcurrent(files, read, { atOnce: READS_AT_ONCE })) {
    if (deps.clock.monotonic() > until || chars > MAX_MAP_CHARS) break
    if (!outline || outline.symbols.length === 0) continue
    const part = `${path}:\n${outlineText(outline, { members: true }).replace(/^/gm, "  ")}\n`
    parts.set(path, part)
    chars += part.length
  }
  return parts
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
