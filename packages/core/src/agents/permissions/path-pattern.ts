import { foldName, isProtectedName } from "../../files/start-files.ts"

interface Comparison {
  /**
   * True for rules that tighten. They match names that any file system may treat as equal. Other rules must spell out
   * the names of protected files and folders, because wildcards don't match them, just as shell wildcards don't match
   * hidden files.
   */
  isDenial: boolean
}

/** True if a path matches a pattern. Compares them name by name; `**` matches any number of folders. */
export function matchesPath(pattern: string[], path: string[], comparison: Comparison): boolean {
  return reachedBy(pattern, path, comparison).has(pattern.length)
}

/**
 * True if a pattern matches a path or a folder that contains it. With `isModule`, also true if the pattern may match
 * anything inside the path.
 */
export function isSameOrInside(pattern: string, path: string, { isModule }: { isModule: boolean }): boolean {
  const names = [...pattern.split("/"), "**"]
  const reached = reachedBy(names, path.split("/"), { isDenial: true })
  return reached.has(names.length) || (isModule && reached.size > 0)
}

/** Returns the positions in the pattern that are reached at the end of the path. */
function reachedBy(written: string[], path: string[], { isDenial }: Comparison): Set<number> {
  const pattern = isDenial ? written.map(foldName) : written
  // Because this is a set, the work per name is limited by the pattern's length.
  let reached = closure(new Set([0]), pattern)
  for (const given of path) {
    const name = isDenial ? foldName(given) : given
    const next = new Set<number>()
    for (const at of reached) {
      const part = pattern[at]
      const isNamed = isDenial || part === name || !isProtectedName(name)
      if (part === "**" && isNamed) next.add(at)
      else if (part !== undefined && part !== "**" && isNamed && matchesName(part, name)) next.add(at + 1)
    }
    reached = closure(next, pattern)
  }
  return reached
}

/** Adds the positions that can be reached without consuming another name, because `**` also matches zero folders. */
function closure(reached: Set<number>, pattern: string[]): Set<number> {
  for (const at of reached) if (pattern[at] === "**") reached.add(at + 1)
  return reached
}

/** True if a name matches a pattern. `*` matches any characters. */
function matchesName(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*")
  const last = rest.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let at = first.length
  const end = name.length - last.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found === -1 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}
