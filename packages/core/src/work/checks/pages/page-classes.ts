import { extensionOf } from "../facts/file-kinds.ts"
import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import type { ClassUse } from "../facts/javascript-module.ts"
import { isTestFile } from "../facts/paths.ts"
import { faultsOf, hasPage, type Project } from "../facts/project.ts"
import { isClosed } from "./closed-project.ts"
import { isComposed } from "./element-ids.ts"

const LOOKUP = /querySelector(?:All)?(?:<[^<>()]*>)?\(\s*["'`][^"'`\n]{0,200}["'`]/g
const CHANGE = /classList\.(?:add|remove|toggle)\(\s*["'`][^"'`\n]{0,200}["'`]/g

/** Classes that a script looks for and no element has, and those that it gives to elements and that mean nothing anywhere. */
export function checkClasses(project: Project): Finding[] {
  if (!hasPage(project) || !isClosed(project)) return []
  const texts = [...project.files].flatMap(([path, text]) =>
    text && !/^(?:json|md|txt)$/.test(extensionOf(path)) ? [text] : [],
  )
  const withoutLookUps = texts.map((text) => text.replaceAll(LOOKUP, "")).join("\n")
  const withoutChanges = texts.map((text) => text.replaceAll(CHANGE, "")).join("\n")
  return faultsOf(project, "javascript", (path, { classes }) =>
    isTestFile(path) ? [] : classes.flatMap((one) => checkClass(one, one.isLookedUp ? withoutLookUps : withoutChanges)),
  )
}

function checkClass({ name, line, isLookedUp }: ClassUse, rest: string): Fault[] {
  if (rest.includes(name) || isComposed(rest, name)) return []
  const message = isLookedUp
    ? `no element has the class "${name}".`
    : `the class "${name}" stands in no stylesheet and is looked for nowhere: it changes nothing.`
  return [faultAt(line, "missing_class", message)]
}
