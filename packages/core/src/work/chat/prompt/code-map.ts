import { codebaseAt } from "../../../files/codebase/workspace-codebase.ts"
import type { KnownImports, References } from "../../../files/symbols/references.ts"
import type { SymbolCache } from "../../../files/symbols/symbol-cache.ts"
import { createSymbols, type SymbolIndex } from "../../../files/symbols/symbol-index.ts"
import { createWorkspaceStore } from "../../../files/workspaces/blob-store.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import type { SessionLog } from "../../../kernel/session-log.ts"
import type { Blobs } from "../../../storage/blobs.ts"

/** The map of a session's code, as far as a prompt has room for it. */
export interface CodeMap {
  /** Explains the map's signs. */
  legend: string
  /** The block of each file that is shown, by its path. */
  blocks: ReadonlyMap<string, MapBlock>
  references: Pick<References, "mutual" | "referrers">
  /** The files of code that are not in the map: nobody has looked at them yet, or there is no room for them. */
  leftOut: number
  /** Those of them that nobody has looked at. */
  unparsed: number
}

export interface MapBlock {
  text: string
  /** Of the file's own declarations and imports: it stays the same while only what refers to the file changes. */
  hash: string
}

export interface CodeMapDeps {
  blobs: Blobs
  /** Without one, nothing is known from one map to the next but what is stored. */
  symbolCache?: SymbolCache
}

/** The map takes at most so many characters of a prompt, or some 25,000 tokens. */
const MAX_MAP_CHARS = 100_000
/**
 * The room in which shown files may outgrow that: else each declaration that is added to a full map would push a file out of it,
 * and everything behind that file's place would have to be cached anew.
 */
const MAP_GROWTH_CHARS = 10_000

/**
 * Reads the map of one version of the files, of which only those are parsed that no index has, and those not for longer than
 * `withinMs`. Files that were shown before come first, then those that most others refer to.
 */
export async function readCodeMap(
  deps: CodeMapDeps,
  session: Pick<SessionLog, "sid" | "state">,
  workspace: Workspace,
  options: { shownBefore: ReadonlySet<string>; withinMs: number; signal: AbortSignal },
): Promise<CodeMap> {
  const [{ fileBlock, leastBlockLength, MAP_LEGEND, signatureHash }, { referencesOf }, index] = await Promise.all([
    // Loaded with the first map: a worker needn't know languages to start.
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
      // Of thousands of files, most find no room: their blocks needn't be made.
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

/** The index of one version of the files; what takes longer than it may is left for the next one. */
export async function indexFiles(
  deps: CodeMapDeps,
  session: Pick<SessionLog, "sid" | "state">,
  workspace: Workspace,
  { withinMs, signal }: { withinMs: number; signal: AbortSignal },
): Promise<SymbolIndex> {
  const { blobs, symbolCache: cache } = deps
  const symbols = createSymbols({ blobs, key: indexKey(deps, session), cache })
  const codebase = codebaseAt(workspace)
  const enough = AbortSignal.timeout(withinMs)
  try {
    return await symbols.build(codebase, { signal: AbortSignal.any([signal, enough]) })
  } catch (error) {
    if (!enough.aborted || signal.aborted) throw error
    return symbols.known(codebase, { signal })
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
