import { codeLanguageOf } from "./languages.ts"

/** Returns the file to which an import refers. Undefined if it isn't one of the given files. */
export type ResolveImport = (from: string, module: string) => string | undefined

const SCRIPTS = ["", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"]
const SCRIPT_ENDS = [...SCRIPTS, ...SCRIPTS.slice(1).map((extension) => `/index${extension}`)]

/** Creates a resolver for imports between these files. */
export function createResolveImport(paths: Iterable<string>): ResolveImport {
  const all = new Set(paths)
  // Built on first use, because lookups by name aren't needed for most languages.
  let byName: Map<string, string[]> | undefined
  const named = (name: string) => {
    byName ??= Map.groupBy([...all].sort(), (path) => path.slice(path.lastIndexOf("/") + 1))
    return byName.get(name)
  }
  const firstOf = (candidates: (string | undefined)[]) => candidates.find((one) => one !== undefined && all.has(one))
  /** Returns the first file whose path ends with this suffix. */
  const ending = (suffix: string) =>
    named(suffix.slice(suffix.lastIndexOf("/") + 1))?.find((path) => path === suffix || path.endsWith(`/${suffix}`))

  return (from, module) => {
    const folder = from.includes("/") ? from.slice(0, from.lastIndexOf("/")) : ""
    switch (codeLanguageOf(from)) {
      case "javascript":
      case "typescript":
      case "tsx": {
        if (!module.startsWith(".")) return undefined
        const base = joined(folder, module)
        if (base === undefined) return undefined
        // TypeScript imports may name the compiled file, so also try the extensions of sources.
        const bare = base.replace(/\.[mc]?jsx?$/, "")
        for (const one of new Set([base, bare])) {
          const end = SCRIPT_ENDS.find((end) => all.has(one + end))
          if (end !== undefined) return one + end
        }
        return undefined
      }
      case "python": {
        const level = /^\.*/.exec(module)?.[0].length ?? 0
        const path = module.slice(level).replaceAll(".", "/")
        const start = level > 0 ? joined(folder, `./${"../".repeat(level - 1)}${path}`) : path
        const candidates =
          start === undefined ? [] : [`${start}.py`, start === "" ? "__init__.py" : `${start}/__init__.py`]
        return (
          firstOf(candidates) ?? (level === 0 ? (ending(`${path}.py`) ?? ending(`${path}/__init__.py`)) : undefined)
        )
      }
      case "c":
      case "cpp": {
        const roots = [joined(folder, module), module, ...["src", "include", "lib"].map((root) => `${root}/${module}`)]
        return firstOf(roots) ?? ending(module)
      }
      case "ruby":
        return firstOf([`${joined(folder, module)}.rb`, `lib/${module}.rb`, `${module}.rb`])
      case "rust":
        return rustFile(folder, from, module, firstOf)
      case "java":
        return ending(`${module.replaceAll(".", "/")}.java`)
      case "php":
        return firstOf([joined(folder, module)]) ?? ending(`${module.replaceAll("\\", "/").split("/").at(-1)}.php`)
      default:
        return undefined
    }
  }
}

function rustFile(
  folder: string,
  from: string,
  module: string,
  firstOf: (candidates: (string | undefined)[]) => string | undefined,
): string | undefined {
  if (module.startsWith("./")) {
    const own = from.replace(/\.rs$/, "")
    return firstOf([folder, own].flatMap((base) => [`${joined(base, module)}.rs`, `${joined(base, module)}/mod.rs`]))
  }
  if (!module.startsWith("crate::")) return undefined
  const root = /^(.*\/)?src\//.exec(from)?.[0] ?? ""
  const parts = module
    .slice("crate::".length)
    .split(/::|\{/)
    .filter((part) => /^\w+$/.test(part))
  const prefixes = parts.map((_, at) => root + parts.slice(0, parts.length - at).join("/"))
  return firstOf(prefixes.flatMap((path) => [`${path}.rs`, `${path}/mod.rs`]))
}

/** Joins a folder and a relative path, and resolves `.` and `..`. Undefined if the result is outside of the project. */
function joined(folder: string, relative: string): string | undefined {
  const path = folder === "" ? [] : folder.split("/")
  for (const segment of relative.split("/")) {
    if (segment === "..") {
      if (path.length === 0) return undefined
      path.pop()
    } else if (segment !== "." && segment !== "") path.push(segment)
  }
  return path.join("/")
}
