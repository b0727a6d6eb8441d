import { type Finding, faultAt } from "../facts/finding.ts"
import { faultsOf, hasPage, type Project } from "../facts/project.ts"
import { isClosed } from "./closed-project.ts"

/**
 * Finds animations that the project doesn't define, and custom properties that are used without a fallback and not
 * defined.
 */
export function checkStyleNames(project: Project): Finding[] {
  // If the project has no pages, its styles may be used by pages elsewhere, which may define the names.
  if (!hasPage(project) || !isClosed(project)) return []
  const texts = [...project.files.values()].filter((text) => text !== null).join("\n")
  return faultsOf(project, "markup", (_, { properties, animations }) => [
    ...properties
      .filter(({ name }) => !new RegExp(`${RegExp.escape(name)}(?:\\s*:|["'\`\\s{])`).test(texts))
      .map(({ name, line }) => faultAt(line, "missing_name", `the custom property "${name}" is never set.`)),
    ...animations
      .filter(({ name }) => !new RegExp(`@(?:-\\w+-)?keyframes\\s+["']?${RegExp.escape(name)}\\b`).test(texts))
      .map(({ name, line }) => faultAt(line, "missing_name", `there are no keyframes named "${name}".`)),
  ])
}
