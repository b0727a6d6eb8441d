import type { KnownImports, References } from "./references.ts"
import type { FileFacts } from "./schema.ts"

/** The facts about files by their stamps; null for what is nothing to be known of. */
export type FactsByStamp = Map<string, FileFacts | null>

/** The facts of one codebase, and what was worked out of them last. */
interface Entry {
  facts: Promise<FactsByStamp>
  last?: { files: ReadonlyMap<string, FileFacts>; paths: readonly string[]; references: References }
}

/**
 * The symbols of the codebases that a process worked on last, so that a turn needn't load and relate thousands of files that
 * didn't change. It holds nothing that can't be had again.
 */
export interface SymbolCache {
  /** The facts that are stored under a key, loaded once. */
  facts(key: string, load: () => Promise<FactsByStamp>): Promise<FactsByStamp>
  /** The references between the files of a key, worked out again only once a name, an import or a call is another. */
  references(
    key: string,
    files: ReadonlyMap<string, FileFacts>,
    paths: readonly string[],
    workOut: (known?: KnownImports) => References,
  ): References
}

/** Of some 50 MB each, for ten thousand files. */
const MOST_CODEBASES = 2

export function createSymbolCache(): SymbolCache {
  const entries = new Map<string, Entry>()

  /** The newest stand last. */
  function touch(key: string, entry: Entry): void {
    entries.delete(key)
    entries.set(key, entry)
    for (const oldest of [...entries.keys()].slice(0, -MOST_CODEBASES)) entries.delete(oldest)
  }

  return {
    async facts(key, load) {
      const entry = entries.get(key) ?? { facts: load() }
      touch(key, entry)
      try {
        return await entry.facts
      } catch (error) {
        entries.delete(key)
        throw error
      }
    },
    references(key, files, paths, workOut) {
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

/** Whether the same files have the same relations. */
function isSame(before: ReadonlyMap<string, FileFacts>, files: ReadonlyMap<string, FileFacts>): boolean {
  if (before.size !== files.size) return false
  for (const [path, facts] of files) {
    const known = before.get(path)
    if (known !== facts && (!known || relationsOf(known) !== relationsOf(facts))) return false
  }
  return true
}

/** Everything of a file that its relation to others depends on. */
function relationsOf({ symbols, imports, calls }: FileFacts): string {
  const names = symbols.map(({ name, members }) => [name, members.map((member) => member.name)])
  return JSON.stringify([names, imports.map(({ module }) => module), calls])
}
