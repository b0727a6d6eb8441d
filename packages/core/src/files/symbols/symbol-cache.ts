import type { KnownImports, References } from "./references.ts"
import type { FileFacts } from "./schema.ts"

/** Facts about files, by the stamps of the files. Null for files without facts. */
export type FactsByStamp = Map<string, FileFacts | null>

/** Facts about one codebase, and the references that were last derived from them. */
interface Entry {
  facts: Promise<FactsByStamp>
  last?: { files: ReadonlyMap<string, FileFacts>; paths: readonly string[]; references: References }
}

/**
 * In-process cache for the symbols of recently used codebases. Without it, each turn would load the facts about
 * thousands of unchanged files and derive their references again. Everything in the cache can be recomputed.
 */
export type SymbolCache = ReturnType<typeof createSymbolCache>

/** Maximum number of codebases in the cache. Ten thousand files take about 50 MB. */
const MOST_CODEBASES = 2

export function createSymbolCache() {
  const entries = new Map<string, Entry>()

  /** Marks an entry as the most recently used one, and evicts the least recently used entries. */
  function touch(key: string, entry: Entry): void {
    entries.delete(key)
    entries.set(key, entry)
    for (const oldest of [...entries.keys()].slice(0, -MOST_CODEBASES)) entries.delete(oldest)
  }

  return {
    /** Returns the facts stored under a key, which are loaded only once. */
    async facts(key: string, load: () => Promise<FactsByStamp>): Promise<FactsByStamp> {
      const entry = entries.get(key) ?? { facts: load() }
      touch(key, entry)
      try {
        return await entry.facts
      } catch (error) {
        entries.delete(key)
        throw error
      }
    },
    /** Returns the references between a key's files. They are recomputed only if a name, import or call has changed. */
    references(
      key: string,
      files: ReadonlyMap<string, FileFacts>,
      paths: readonly string[],
      workOut: (known?: KnownImports) => References,
    ): References {
      const entry = entries.get(key)
      const last = entry?.last && hasSamePaths(entry.last.paths, paths) ? entry.last : undefined
      if (last && isSame(last.files, files)) return last.references
      const references = workOut((path) =>
        last && last.files.get(path) === files.get(path) ? last.references.imports.get(path) : undefined,
      )
      if (entry) entry.last = { files, paths, references }
      return references
    },
  }
}

function hasSamePaths(before: readonly string[], paths: readonly string[]): boolean {
  return before.length === paths.length && paths.every((path, at) => path === before[at])
}

/** True if the set of files and their relations are unchanged. */
function isSame(before: ReadonlyMap<string, FileFacts>, files: ReadonlyMap<string, FileFacts>): boolean {
  if (before.size !== files.size) return false
  for (const [path, facts] of files) {
    const known = before.get(path)
    if (known !== facts && (!known || relationsOf(known) !== relationsOf(facts))) return false
  }
  return true
}

/** Returns the facts about a file that determine its relations to other files. */
function relationsOf({ symbols, imports, calls }: FileFacts): string {
  const names = symbols.map(({ name, members }) => [name, members.map((member) => member.name)])
  return JSON.stringify([names, imports.map(({ module }) => module), calls])
}
