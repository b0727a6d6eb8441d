import { createResolveImport, type ResolveImport } from "./resolve-import.ts"
import type { FileFacts } from "./schema.ts"

/** References between a project's files. */
export interface References {
  /** Files imported by a file, sorted by path. */
  imports: ReadonlyMap<string, readonly string[]>
  /** Files that import a file, or that call a name defined only in that file. Sorted by path. */
  referrers: ReadonlyMap<string, readonly string[]>
  /** Pairs of files that import each other. */
  mutual: readonly (readonly [string, string])[]
}

/** Names that are defined or called in so many files that they aren't meaningful. */
const COMMON = new Set(
  [
    "main init constructor get set add remove push pop run call apply bind map filter forEach find some every reduce",
    "keys values entries toString log error warn info debug print len str int float list dict range open close read",
    "write exec parse format test it describe expect require new printf malloc free sizeof assert super",
  ].flatMap((names) => names.split(" ")),
)

/** Returns the imports of a file if they are already known, and undefined otherwise. */
export type KnownImports = (path: string) => readonly string[] | undefined

/** Derives references from the facts about each file. The result doesn't depend on the order of the files. */
export function referencesOf(
  files: ReadonlyMap<string, FileFacts>,
  paths: Iterable<string> = files.keys(),
  known: KnownImports = () => undefined,
): References {
  const resolve = createResolveImport(paths)
  const sorted = [...files.keys()].sort()
  const definers = definersOf(files, sorted)
  const imports = new Map<string, readonly string[]>()
  const referrers = new Map<string, string[]>()
  for (const path of sorted) {
    const facts = files.get(path)
    const imported = known(path) ?? importedBy(path, facts, resolve)
    imports.set(path, imported)
    const referred = new Set(imported)
    for (const name of facts?.calls ?? []) {
      const definer = definers.get(name)
      if (definer && definer !== path) referred.add(definer)
    }
    // Process the files in path order, so that each list of referrers is sorted.
    for (const other of referred) {
      const from = referrers.get(other)
      if (from) from.push(path)
      else referrers.set(other, [path])
    }
  }
  const mutual = sorted.flatMap((path) =>
    (imports.get(path) ?? [])
      .filter((other) => path < other && imports.get(other)?.includes(path))
      .map((other): [string, string] => [path, other]),
  )
  return { imports, referrers, mutual }
}

function importedBy(path: string, facts: FileFacts | undefined, resolve: ResolveImport): string[] {
  const imported = new Set<string>()
  for (const { module } of facts?.imports ?? []) {
    const other = resolve(path, module)
    if (other !== undefined && other !== path) imported.add(other)
  }
  return [...imported].sort()
}

/** Maps each name to the only file that defines it, or to null if several files define it. */
function definersOf(files: ReadonlyMap<string, FileFacts>, sorted: string[]): ReadonlyMap<string, string | null> {
  const definers = new Map<string, string | null>()
  for (const path of sorted) {
    const define = (name: string) => {
      const definer = definers.get(name)
      if (definer === undefined) definers.set(name, COMMON.has(name) ? null : path)
      else if (definer !== path && definer !== null) definers.set(name, null)
    }
    for (const { name, members } of files.get(path)?.symbols ?? []) {
      define(name)
      for (const member of members) define(member.name)
    }
  }
  return definers
}
