import { createResolveImport } from "./resolve-import.ts"
import type { FileFacts } from "./schema.ts"

/** The references between the files of a project. */
export interface References {
  /** The files that a file imports, in order of the path. */
  imports: ReadonlyMap<string, readonly string[]>
  /** The files that import a file, or call something that only it defines; in order of the path. */
  referrers: ReadonlyMap<string, readonly string[]>
  /** Pairs of files that import each other. */
  mutual: readonly (readonly [string, string])[]
}

/** Names that say nothing, for every other file defines or calls them. */
const COMMON = new Set(
  [
    "main init constructor get set add remove push pop run call apply bind map filter forEach find some every reduce",
    "keys values entries toString log error warn info debug print len str int float list dict range open close read",
    "write exec parse format test it describe expect require new printf malloc free sizeof assert super",
  ].flatMap((names) => names.split(" ")),
)

/** Works out references from what is known of each file; the order in which they are given doesn't matter. */
export function referencesOf(
  files: ReadonlyMap<string, FileFacts>,
  paths: Iterable<string> = files.keys(),
): References {
  const resolve = createResolveImport(paths)
  const sorted = [...files.keys()].sort()
  const definers = definersOf(files, sorted)
  const imports = new Map<string, string[]>()
  const referrers = new Map<string, Set<string>>()
  const refer = (from: string, to: string) => referrers.set(to, (referrers.get(to) ?? new Set()).add(from))
  for (const path of sorted) {
    const facts = files.get(path)
    const resolved = (facts?.imports ?? []).flatMap(({ module }) => resolve(path, module) ?? [])
    const imported = [...new Set(resolved)].filter((other) => other !== path).sort()
    imports.set(path, imported)
    for (const other of imported) refer(path, other)
    for (const name of facts?.calls ?? []) {
      const definer = definers.get(name)
      if (definer !== undefined && definer !== path) refer(path, definer)
    }
  }
  const mutual = sorted.flatMap((path) =>
    (imports.get(path) ?? [])
      .filter((other) => path < other && imports.get(other)?.includes(path))
      .map((other): [string, string] => [path, other]),
  )
  return { imports, referrers: new Map([...referrers].map(([path, from]) => [path, [...from].sort()])), mutual }
}

/** The one file that defines a name; names that several define say nothing. */
function definersOf(files: ReadonlyMap<string, FileFacts>, sorted: string[]): Map<string, string> {
  const definers = new Map<string, string | undefined>()
  for (const path of sorted) {
    for (const name of definedNames(files.get(path))) {
      if (COMMON.has(name)) continue
      definers.set(name, definers.has(name) && definers.get(name) !== path ? undefined : path)
    }
  }
  return new Map([...definers].flatMap(([name, path]) => (path === undefined ? [] : [[name, path] as const])))
}

function definedNames(facts: FileFacts | undefined): string[] {
  return (facts?.symbols ?? []).flatMap(({ name, members }) => [name, ...members.map((member) => member.name)])
}
