import * as z from "zod"
import { mapConcurrent } from "../../../concurrency/map-concurrent.ts"
import { openWorkspace } from "../../../files/workspaces/files.ts"
import type { WorkspaceVersion } from "../../../files/workspaces/manifest.ts"
import { openSessionLog } from "../../../kernel/session-log.ts"
import { readField } from "../../../log/payload.ts"
import { parseModelName } from "../../../models/names.ts"
import type { Message } from "../../../models/provider.ts"
import { modelRules } from "../../../models/providers/providers.ts"
import { type AssembledContext, assembleContext } from "../../context/assemble-context.ts"
import {
  cacheTarget,
  DEFAULT_MAX_INPUT_TOKENS,
  dropLargestFiles,
  estimateTokens,
  imageTokens,
  minCachedTokens,
} from "../../context/budgets.ts"
import { MAX_PAGE_CHARS, treeSection } from "../../context/sections.ts"
import type { Advanced, ContextItem } from "../../context/tiers.ts"
import { readFiles } from "../files/repository-files.ts"
import { modelHistory, type PathEvent, pagesOf, withoutOldest } from "../history/model-history.ts"
import type { ChatDeps, Turn } from "../turn/turn.ts"
import { readCodeMap } from "./code-map.ts"
import { lastPlaces } from "./last-places.ts"
import { type Parts, placeContext, promptTokensOf, toFigures } from "./place-context.ts"
import { systemPrompt } from "./prompts.ts"
import { sortSelection } from "./selection.ts"

/** Final prompt of a turn. */
export interface AssembledPrompt {
  system: string
  messages: Message[]
  /** Indexes of the last messages of cached prefixes. Undefined for providers without cache breakpoints. */
  cacheAfter: number[] | undefined
  /** Version of the files that are shown. */
  shown: WorkspaceVersion
  /** Selected files that didn't fit into the prompt. */
  droppedFiles: string[]
  estimatedTokens: number
}

const READS_AT_ONCE = 16
const MAP_WITHIN_MS = 2000

/** Assembles a turn's context from the tiers of the previous turn, and logs the context before it is sent. */
export async function assemblePrompt(deps: ChatDeps, turn: Turn, path: readonly PathEvent[]): Promise<AssembledPrompt> {
  const { context, journal } = turn
  const { signal } = context
  const session = await openSessionLog(deps, context.sid, { signal })
  const { asked } = journal
  const history = withoutOldest(modelHistory(path))
  const pages = pagesOf(path, journal.pages ?? [], asked.excluded_urls)
  const workspace = await openWorkspace(deps, session, { at: await readFiles(deps, turn), signal })
  const { texts } = sortSelection(workspace, asked.files)
  const read = async ({ name, path }: (typeof texts)[number]) => {
    return { path: name, text: await workspace.readText(path, { signal }) }
  }
  const selected = await Array.fromAsync(mapConcurrent(texts, read, { atOnce: READS_AT_ONCE }))
  const last = await lastPlaces(deps, session, asked.chat_id, { signal })
  const before = journal.placed ?? last.places
  const shownBefore = new Set((before ?? []).flatMap(({ key }) => (key.startsWith("symbol:") ? [key.slice(7)] : [])))
  const map = await readCodeMap(deps, session, workspace, {
    shownBefore,
    withinMs: deps.mapWithinMs ?? MAP_WITHIN_MS,
    signal,
  })
  turn.hasUnparsedFiles = map.unparsed > 0
  const blocks = [...map.blocks.values()].map(({ text }) => text)
  const paths = workspace.manifest.files.map(({ path }) => path)
  const { review: reviewed } = session.state.chat
  const review = reviewed ? await readField(deps.blobs, reviewed.changes, z.string(), { signal }) : ""
  const tree = treeSection(paths)
  const others = [...blocks, ...history.map(({ content }) => content), tree, review, asked.content]
  const pageChars = pages.reduce((sum, { text, summary = text }) => sum + Math.min(summary.length, MAX_PAGE_CHARS), 0)
  const { kept, dropped } = dropLargestFiles(
    selected.map(({ path, text }) => ({ path, tokens: estimateTokens(text.length) })),
    {
      otherTokens:
        estimateTokens(others.reduce((sum, { length }) => sum + length, pageChars)) + imageTokens(asked.images),
      maxInputTokens: DEFAULT_MAX_INPUT_TOKENS,
    },
  )
  const parts: Parts = { map, history, files: selected.filter(({ path }) => kept.includes(path)) }
  const placed = placeParts(turn, before, { ...parts, treeTokens: estimateTokens(tree.length) })
  const { provider, model } = parseModelName(context.model, "general")
  const isMarked = modelRules[provider].cacheOf?.(model) === "marked"
  const assembled = assembleContext({
    ...{
      systemPrompt: systemPrompt(asked.system_extra),
      legend: blocks.length > 0 ? map.legend : "",
      state: placed.state,
      rewritten: placed.broken,
    },
    files: new Map(parts.files.map(({ path, text }) => [path, text])),
    history: new Map(history.map((message) => [message.number, message])),
    ...{ tree: paths, pages, review, message: asked.content, images: asked.images },
    minCachedTokens: isMarked ? minCachedTokens(model) : undefined,
  })
  await logContext(turn, assembled, placed, { leftOut: map.leftOut, rebuilt: last.rebuilt })
  return {
    ...{ system: assembled.system, messages: assembled.messages, shown: workspace.at, droppedFiles: dropped },
    cacheAfter: isMarked ? assembled.cacheAfter : undefined,
    estimatedTokens: Object.values(assembled.tokens).reduce((sum, part) => sum + part, 0),
  }
}

/** Decides the tier of each part. If another executor has already decided this turn's tiers, keeps that decision. */
function placeParts(
  { context, journal }: Turn,
  before: ContextItem[] | null,
  { treeTokens, ...parts }: Parts & { treeTokens: number },
): Advanced {
  if (journal.placed) return { state: { items: journal.placed }, changes: [], broken: [] }
  const { model } = parseModelName(context.model, "general")
  const systemTokens = estimateTokens(systemPrompt(journal.asked.system_extra).length)
  return placeContext(before, parts, { target: cacheTarget(model), treeTokens, systemTokens })
}

async function logContext(
  turn: Turn,
  assembled: AssembledContext,
  placed: Advanced,
  about: Parameters<typeof toFigures>[2],
): Promise<void> {
  const { context, journal } = turn
  if (journal.placed) return
  const event = { type: "chat_context_prepared" as const, ...turn.ids }
  const figures = toFigures(assembled, placed, about)
  journal.placed = placed.state.items
  journal.promptTokens = promptTokensOf(journal.asked.images, figures)
  await context.write([{ ...event, items: journal.placed, figures }])
}
