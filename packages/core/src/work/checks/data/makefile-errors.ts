import { type Fault, faultAt } from "../facts/finding.ts"

const RULE = /^[\w./%$(){}-][^#=]*:(?![:=])[^=]*(?<!\\)$/
/** Matches lines that may be indented with spaces because they aren't commands: assignments and make directives. */
const NO_RECIPE =
  /^(?:#|[\w.-]+\s*(?:[:?+!]?=|::?=)|(?:ifn?eq|ifn?def|else|endif|include|-include|define|export|unexport|override|vpath)\b|[\w./%-]+\s*:)/

/** Finds a command that is indented with spaces, because make requires a tab. */
export function checkMakefile(text: string): Fault[] {
  if (/^\.RECIPEPREFIX|^define\b/m.test(text)) return []
  const lines = text.split(/\r?\n/)
  const index = lines.findIndex(
    (line, index) => RULE.test(lines[index - 1] ?? "") && /^ +\S/.test(line) && !NO_RECIPE.test(line.trim()),
  )
  return index < 0 ? [] : [faultAt(index + 1, "syntax", "a command is indented with spaces, but make requires a tab.")]
}
