import { openWorkspace, type Workspace } from "../../../files/workspaces/files.ts"
import { workspacePathIfValid } from "../../../files/workspaces/path.ts"
import { readHistoryBack, type SessionHistory } from "../../../kernel/history.ts"
import { parseModelName } from "../../../models/names.ts"
import { priceOf } from "../../../models/prices.ts"
import { modelRules } from "../../../models/providers/providers.ts"
import { assembleContext } from "../../context/assemble-context.ts"
import { cacheTarget, estimateTokens, minCachedTokens } from "../../context/budgets.ts"
import { forecastCache } from "../../context/cache-guard.ts"
import { advanceContext } from "../../context/cascade.ts"
import { treeSection } from "../../context/sections.ts"
import { type ContextState, type Observed, pathOf, typeOf } from "../../context/tiers.ts"
import { shownFiles } from "../files/shown-files.ts"
import { type ChatStores, isMessage, pathTo } from "../history/model-history.ts"
import { lastPlaces } from "../prompt/last-places.ts"
import { systemPrompt } from "../prompt/prompts.ts"
import { sortSelection } from "../prompt/selection.ts"
import type { ChatForecast } from "../request-schema.ts"

/**
 * Predicts how many tokens the next turn can read from the provider's cache, and how many it must write again. Reads no
 * files, because their hashes are enough to find out which of them changed. Empty before the first turn, and for
 * providers without a cache.
 */
export async function forecastTurn(
  deps: ChatStores,
  session: SessionHistory,
  { model: name, signal }: { model: string; signal: AbortSignal },
): Promise<ChatForecast> {
  const { provider, model } = parseModelName(name, "general")
  const { chatId, selected } = session.state.chat
  const last = chatId === null ? null : (await lastPlaces(deps, session, chatId, { signal })).places
  if (chatId === null || !last || !modelRules[provider].cacheOf?.(model)) return { ...nothing, cost_usd: null }
  const workspace = await openWorkspace(deps, session, { at: shownFiles(session.state), signal })
  const numbers = await historyNumbers(deps, session, chatId, signal)
  const before = { items: last }
  const observed = observedNow(before, { workspace, selected, numbers })
  const tree = treeSection(workspace.manifest.files.map(({ path }) => path))
  const { state: after } = advanceContext(before, observed, {
    target: cacheTarget(model),
    treeTokens: estimateTokens(tree.length),
  })
  const forecast = compare(before, after, minCachedTokens(model))
  const price = priceOf(provider, model)
  const cost_usd = price ? (forecast.lost_tokens * price.inputUsd * price.cacheWrite) / 1_000_000 : null
  return { ...forecast, cost_usd }
}

const nothing = { cached_tokens: 0, lost_tokens: 0, changes: [] }

/** Returns the numbers of the messages that would be part of the next turn. */
async function historyNumbers(
  deps: Pick<ChatStores, "records">,
  session: SessionHistory,
  chatId: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const back = readHistoryBack(deps, session, "chat", { signal })
  const path = await pathTo(back, { chatId, beforeSeq: session.state.head + 1 })
  const isCompacted = path.some(({ type }) => type === "chat_compacted")
  const own = path.filter(isMessage).map(({ seq }) => String(seq))
  return new Set([...own, ...(isCompacted ? ["0", "1"] : [])])
}

/** Returns the parts of the next turn that can be determined without reading files. */
function observedNow(
  { items }: ContextState,
  now: { workspace: Workspace; selected: readonly string[]; numbers: ReadonlySet<string> },
): Observed[] {
  const known = items.flatMap(({ key, hash, tokens, text, role }): Observed[] => {
    const type = typeOf(key)
    const name = pathOf(key)
    if (type === "file") return []
    const path = workspacePathIfValid(name)
    const isThere = type === "history" ? now.numbers.has(name) : path !== undefined && now.workspace.stat(path)
    return isThere ? [{ key, hash, tokens, ...(text !== undefined && { text }), ...(role && { role }) }] : []
  })
  const files = sortSelection(now.workspace, now.selected).texts.flatMap(({ name, path }): Observed[] => {
    const node = now.workspace.stat(path)
    if (node?.type !== "file") return []
    return [{ key: `file:${name}`, hash: node.sha256.slice(0, 16), tokens: estimateTokens(node.size) }]
  })
  return [...known, ...files]
}

/**
 * Compares two requests by the hashes of their parts. The text of each part is replaced by a placeholder of the same
 * length.
 */
function compare(before: ContextState, after: ContextState, minCached: number) {
  const sent = (state: ContextState) => ({ state, context: placeholders(state, minCached) })
  return forecastCache(sent(before), sent(after))
}

function placeholders(state: ContextState, minCached: number) {
  const textOf = (hash: string, tokens: number) => hash.padEnd(4 * tokens, ".")
  const files = state.items.filter(({ key }) => typeOf(key) === "file")
  const history = state.items.filter(({ key }) => typeOf(key) === "history")
  return assembleContext({
    ...{ systemPrompt: systemPrompt(undefined), legend: "", state, tree: [], message: "" },
    files: new Map(files.map(({ key, hash, tokens }) => [pathOf(key), textOf(hash, tokens)])),
    history: new Map(
      history.map(({ key, hash, tokens, role = "user" }) => [
        Number(pathOf(key)),
        { role, content: textOf(hash, tokens) },
      ]),
    ),
    minCachedTokens: minCached,
  })
}
