import { type Finding, faultAt } from "../facts/finding.ts"
import { isTestFile } from "../facts/paths.ts"
import { faultsOf, hasPage, type Project } from "../facts/project.ts"
import { isClosed } from "./closed-project.ts"
import { helpersOf, lookUpsOf, namesOf } from "./given-names.ts"

/**
 * Finds classes that a script looks up but no element has, and classes that a script sets although they have no effect.
 */
export function checkClasses(project: Project): Finding[] {
  if (!hasPage(project) || !isClosed(project)) return []
  const { isClass, isMeant } = namesOf(project)
  const helpers = helpersOf(project)
  return faultsOf(project, "javascript", (path, module) => {
    if (isTestFile(path)) return []
    const { lookedUp } = lookUpsOf(module, helpers)
    return [
      ...lookedUp
        .filter(({ name }) => !isClass(name))
        .map(({ name, line }) => faultAt(line, "missing_class", `no element has the class "${name}".`)),
      ...module.elements.changed
        .filter(({ name }) => !isMeant(name))
        .map(({ name, line }) => faultAt(line, "missing_class", meaningless(name))),
    ]
  })
}

function meaningless(name: string): string {
  return `the class "${name}" has no effect: no stylesheet or script uses it.`
}
