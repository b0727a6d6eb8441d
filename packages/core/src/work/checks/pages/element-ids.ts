import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import type { Markup } from "../facts/markup.ts"
import type { NameUse } from "../facts/names.ts"
import { nearOf } from "../facts/near.ts"
import { isTestFile } from "../facts/paths.ts"
import { faultsOf, hasPage, type Project } from "../facts/project.ts"
import { helpersOf, lookUpsOf, namesOf } from "./given-names.ts"

/** Finds IDs that a script looks up but no element in the project has. */
export function checkElementIds(project: Project): Finding[] {
  if (!hasPage(project)) return []
  const { isId } = namesOf(project)
  const helpers = helpersOf(project)
  const checkId = ({ name, line }: NameUse) =>
    name === "" || isId(name) ? [] : [faultAt(line, "missing_id", missing(project, name))]
  const inScripts = faultsOf(project, "javascript", (path, module) =>
    isTestFile(path) ? [] : lookUpsOf(module, helpers).ids.flatMap(checkId),
  )
  // If a script reads the URL's hash, it may use anchors for another purpose, so they aren't checked.
  const readsAddress = [...project.files.values()].some((text) => text && /\bhash\b|hashchange/.test(text))
  const inPages = faultsOf(project, "markup", (_, page) => [
    ...checkTwice(page),
    ...page.idUses.flatMap(checkId),
    ...(readsAddress ? [] : page.anchors.flatMap(checkId)),
  ])
  return [...inScripts, ...inPages]
}

function missing({ facts }: Project, name: string): string {
  const pages = [...facts.values()].filter((one) => one.language === "markup")
  const ids = pages.flatMap((page) => page.ids.map((id) => id.name))
  const near = nearOf(name, ids)
  return `no element has the id "${name}".${near ? ` Did you mean "${near}"?` : ""}`
}

/** Finds duplicate IDs in a page, because a lookup would return only the first element. */
function checkTwice({ ids }: Markup): Fault[] {
  return ids.flatMap(({ name: id, line }, index) => {
    const first = ids.findIndex(({ name }) => name === id)
    if (first === index) return []
    return [faultAt(line, "duplicate_id", `the element in line ${ids[first]?.line} has the same id, "${id}".`)]
  })
}
