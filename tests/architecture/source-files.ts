import { readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"

const packages = join(import.meta.dirname, "../../packages")

export interface SourceFile {
  /** Path below `packages/`, such as `core/src/log/log.ts`. */
  path: string
  text: string
  /** All imported modules: a package's name, or a path below `packages/`. */
  imports: string[]
  /** Imported modules, without those that only types are imported from. */
  values: string[]
}

/** All source files of the packages. */
export const files = readdirSync(packages, { recursive: true, encoding: "utf8" })
  .map((path) => path.split("\\").join("/"))
  .filter((path) => /^[^/]+\/src\/.*\.tsx?$/.test(path))
  .map((path): SourceFile => {
    const text = readFileSync(join(packages, path), "utf8")
    const named = [...text.matchAll(/(?:from|import\(|^import)\s*"([^"]+)"/gm)].map((match) => match[1] ?? "")
    const resolved = (names: string[]) => names.map((name) => resolve(path, name))
    return { path, text, imports: resolved(named), values: resolved(valuesImported(text)) }
  })

/** Returns the imports from some files to others, formatted as `from → to`. */
export const importing = (from: RegExp, to: RegExp) =>
  files
    .filter(({ path }) => from.test(path))
    .flatMap(({ path, imports }) => imports.filter((name) => to.test(name)).map((name) => `${path} → ${name}`))

/**
 * Maps each folder of these files to the others it imports values from, or also types if `types` is set. Ignores
 * imports of files that `apart` matches.
 */
export function foldersOf(
  some: SourceFile[],
  { apart = /^$/, types = false }: { apart?: RegExp; types?: boolean } = {},
): Map<string, Set<string>> {
  const paths = new Set(some.map(({ path }) => path))
  const folders = new Map<string, Set<string>>()
  for (const { path, imports, values } of some) {
    const from = posix.dirname(path)
    const others = (types ? imports : values)
      .filter((name) => paths.has(name) && !apart.test(name))
      .map((name) => posix.dirname(name))
    folders.set(from, new Set([...(folders.get(from) ?? []), ...others.filter((to) => to !== from)]))
  }
  return folders
}

/** Returns the path around the first cycle of a graph; empty if there is none. */
export function circleIn(graph: Map<string, Set<string>>): string[] {
  const done = new Set<string>()
  const visit = (node: string, path: string[]): string[] => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return []
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node])
      if (circle.length > 0) return circle
    }
    done.add(node)
    return []
  }
  for (const node of graph.keys()) {
    const circle = visit(node, [])
    if (circle.length > 0) return circle
  }
  return []
}

/** Returns the modules from which a file imports a value. Type-only imports are erased, so they don't count. */
function valuesImported(text: string): string[] {
  const statements = [...text.matchAll(/^(?:import|export) ([^"]*?)from "([^"]+)"/gms)]
  const values = statements.filter(([, what = ""]) => !/^type |^\{(\s*type [^,}]+,?)+\s*\}\s*$/.test(what))
  const others = [...text.matchAll(/^import "([^"]+)"|(?<!typeof )import\("([^"]+)"\)/gm)]
  return [...values.map((match) => match[2] ?? ""), ...others.map((match) => match[1] ?? match[2] ?? "")]
}

function resolve(from: string, name: string): string {
  if (name.startsWith(".")) return posix.join(posix.dirname(from), name)
  if (name === "@switchyard/demo-model") return "demo-model/src/provider.ts"
  return name.replace(/^@switchyard\/([\w-]+)\/(.+)$/, "$1/src/$2.ts")
}
