import { type Finding, faultAt } from "../facts/finding.ts"
import { folderOf } from "../facts/paths.ts"
import type { Project } from "../facts/project.ts"

/** Go files of one folder that say that they are of two packages: its compiler refuses them. */
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
    const message = `the file is of the package ${name}, and ${first.path}, in the same folder, of ${first.name}.`
    return [{ path, ...faultAt(line, "syntax", message) }]
  })
}

/** Whether Go builds a file wherever it is: one with conditions may be of a package of its own. */
function isBuilt(path: string, text: string | null): boolean {
  return (
    path.endsWith(".go") &&
    !/(?:^|\/)(?:[_.]|testdata\/)/.test(path) &&
    !/^\/\/(?:go:build|[ \t]*\+build)/m.test(text ?? "")
  )
}
