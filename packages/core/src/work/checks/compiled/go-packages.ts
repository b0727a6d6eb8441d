import { type Finding, faultAt } from "../facts/finding.ts"
import { folderOf } from "../facts/paths.ts"
import type { Project } from "../facts/project.ts"

/** Finds Go files in one folder that declare different packages, which the compiler rejects. */
export function checkGoPackages({ files }: Project): Finding[] {
  const firsts = new Map<string, { path: string; name: string }>()
  return [...files].flatMap(([path, text]) => {
    const clause = isBuilt(path, text) ? /^package[ \t]+(\w+)/m.exec(text ?? "") : null
    const name = clause?.[1]?.replace(/_test$/, "")
    if (!clause || name === undefined) return []
    const first = firsts.get(folderOf(path))
    if (!first) firsts.set(folderOf(path), { path, name })
    if (!first || first.name === name) return []
    const line = (text ?? "").slice(0, clause.index).split("\n").length
    const message = `the file declares package ${name}, but ${first.path} in the same folder declares ${first.name}.`
    return [{ path, ...faultAt(line, "syntax", message) }]
  })
}

/** Returns true if Go always builds a file. A file with build constraints may belong to another package. */
function isBuilt(path: string, text: string | null): boolean {
  return (
    path.endsWith(".go") &&
    !/(?:^|\/)(?:[_.]|testdata\/)/.test(path) &&
    !/^\/\/(?:go:build|[ \t]*\+build)/m.test(text ?? "")
  )
}
