import type { KnownImports, References } from "../../../files/symbols/references.ts"
import type { SymbolCache } from "../../../files/symbols/symbol-cache.ts"
import { createSymbols, type SymbolIndex } from "../../../files/symbols/symbol-index.ts"
import { createWorkspaceStore } from "../../../files/workspaces/blob-store.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import type { SessionLog } from "../../../kernel/session-log.ts"
import type { Blobs } from "../../../storage/blobs.ts"

/** Map of a session's code, short enough for a prompt. */
export interface CodeMap {
  /** Explanation of the map's notation. */
  legend: string
  /** Blocks of the files in the map, by path. */
  blocks: ReadonlyMap<string, MapBlock>
  references: Pick<References, "mutual" | "referrers">
  /** Number of code files that aren't in the map, because they aren't parsed yet or don't fit. */
  leftOut: number
  /** Number of code files that aren't parsed yet. */
  unparsed: number
}

export interface MapBlock {
  text: string
  /** Hash of the file's own declarations and imports. It doesn't depend on the files that refer to this file. */
  hash: string
}

export interface CodeMapDeps {
  blobs: Blobs
  /** Cache of results that several maps share. If absent, only stored indexes are reused. */
  symbolCache?: SymbolCache
}

/** Maximum number of characters of the map in a prompt, about 25,000 tokens. */
const MAX_MAP_CHARS = 100_000
/**
 * Additional room for files that are already shown. Without it, each new declaration would displace a file from a full
 * map, and everything after that file would have to be cached again.
 */
const MAP_GROWTH_CHARS = 10_000

/**
 * Reads the map of one version of the files. Spends at most `withinMs` on parsing files that haven't been indexed yet.
 * Files that were shown earlier come first, followed by the most referenced files.
 */
export async function readCodeMap(
  deps: CodeMapDeps,
  session: Pick<SessionLog, "sid" | "state">,
  workspace: Workspace,
  options: { shownBefore: ReadonlySet<string>; withinMs: number; signal: AbortSignal },
): Promise<CodeMap> {
  const [{ fileBlock, leastBlockLength, MAP_LEGEND, signatureHash }, { referencesOf }, index] = await Promise.all([
    // Loaded lazily, because workflows only import `indexFiles`, which doesn't need these modules.
    import("../../../files/symbols/symbol-map.ts"),
    import("../../../files/symbols/references.ts"),
    indexFiles(deps, session, workspace, options),
  ])
  const { files, missing } = index
  const paths = workspace.manifest.files.map(({ path }) => path)
  const workOut = (known?: KnownImports) => referencesOf(files, paths, known)
  const references = deps.symbolCache?.references(indexKey(deps, session), files, paths, workOut) ?? workOut()
  const { shownBefore } = options
  const declaring = [...files].filter(([, facts]) => facts.symbols.length > 0 || facts.imports.length > 0)
  const facts = new Map(declaring)
  const byRank = byImportance([...facts.keys()], references, shownBefore)

  function take(maxShownChars: number): Map<string, MapBlock> {
    const blocks = new Map<string, MapBlock>()
    let chars = 0
    for (const path of byRank) {
      const known = facts.get(path)
      const most = shownBefore.has(path) ? maxShownChars : MAX_MAP_CHARS
      // In a large project, most files won't fit, so skip them without building their blocks.
      if (!known || chars + leastBlockLength(path, known) > most) continue
      const text = fileBlock(path, known, references, "model")
      if (chars + text.length > most) continue
      chars += text.length
      blocks.set(path, { text, hash: signatureHash(known) })
    }
    return blocks
  }

  const grown = take(MAX_MAP_CHARS + MAP_GROWTH_CHARS)
  const isOutgrown = byRank.some((path) => shownBefore.has(path) && !grown.has(path))
  const blocks = isOutgrown ? take(MAX_MAP_CHARS) : grown
  return {
    legend: `${MAP_LEGEND}\n`,
    blocks,
    references,
    leftOut: missing + facts.size - blocks.size,
    unparsed: missing,
  }
}

/**
 * Returns the index of one version of the files. Files that aren't parsed within `withinMs` are parsed by the next
 * call.
 */
export async function indexFiles(
  deps: CodeMapDeps,
  session: Pick<SessionLog, "sid" | "state">,
  workspace: Workspace,
  { withinMs, signal }: { withinMs: number; signal: AbortSignal },
): Promise<SymbolIndex> {
  const { blobs, symbolCache: cache } = deps
  const symbols = createSymbols({ blobs, key: indexKey(deps, session), cache })
  const enough = AbortSignal.timeout(withinMs)
  try {
    return await symbols.build(workspace, { signal: AbortSignal.any([signal, enough]) })
  } catch (error) {
    if (!enough.aborted || signal.aborted) throw error
    return symbols.known(workspace, { signal })
  }
}

function indexKey({ blobs }: CodeMapDeps, { sid, state }: Pick<SessionLog, "sid" | "state">): string {
  const { prefixes } = createWorkspaceStore(blobs, { sid, incarnation: state.session.incarnation })
  return `${prefixes.outlines}index.json`
}

function byImportance(
  paths: readonly string[],
  { referrers }: CodeMap["references"],
  shownBefore: ReadonlySet<string>,
): string[] {
  const rank = (path: string) => (shownBefore.has(path) ? Number.POSITIVE_INFINITY : (referrers.get(path)?.length ?? 0))
  const ranks = new Map(paths.map((path) => [path, rank(path)]))
  const rankOf = (path: string) => ranks.get(path) ?? 0
  return paths.toSorted((a, b) => (rankOf(a) === rankOf(b) ? (a < b ? -1 : 1) : rankOf(b) > rankOf(a) ? 1 : -1))
}
