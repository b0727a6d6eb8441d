import { extensionOf } from "../facts/file-kinds.ts"
import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import type { Markup } from "../facts/markup.ts"
import { isTestFile } from "../facts/paths.ts"
import { faultsOf, hasPage, type Project } from "../facts/project.ts"

const MARKUP = new Set(
  "html htm js mjs cjs jsx ts tsx vue svelte php py rb go java cs ejs hbs pug njk erb tmpl".split(" "),
)
const LOOKUP = /(?:getElementById|querySelector(?:All)?)(?:<[^<>()]*>)?\(\s*["'`]#?[^"'`\n]{0,200}["'`]/g

/** Elements that a script looks up by an id, and that nothing in the project gives this id. */
export function checkElementIds(project: Project): Finding[] {
  const texts = [...project.files].flatMap(([path, text]) => (text && MARKUP.has(extensionOf(path)) ? [text] : []))
  if (!hasPage(project)) return []
  // A look-up of an element doesn't make it.
  const rest = texts.map((text) => text.replaceAll(LOOKUP, "")).join("\n")
  const inScripts = faultsOf(project, "javascript", (path, { ids }) =>
    isTestFile(path) ? [] : ids.flatMap((one) => checkId(rest, one)),
  )
  const named = rest.replaceAll(REFERENCE, "")
  const inPages = faultsOf(project, "markup", (_, page) => [...checkTwice(page), ...checkUses(page, named)])
  return [...inScripts, ...inPages]
}

/** Ids that two elements of a page have: whoever looks for one of them finds only the first. */
function checkTwice({ ids }: Markup): Fault[] {
  return ids.flatMap(({ id, line }, index) => {
    const first = ids.findIndex((one) => one.id === id)
    if (first === index) return []
    return [
      faultAt(line, "duplicate_id", `the id "${id}" is that of another element, too, in line ${ids[first]?.line}.`),
    ]
  })
}

const REFERENCE =
  /\s(?:for|list|href|aria-(?:labelledby|describedby|controls|owns))\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+)/g

/** Ids by which elements name others that aren't there. A script that reads the address may take an anchor for something else. */
function checkUses({ idUses }: Markup, rest: string): Fault[] {
  return /\bhash\b|hashchange/.test(rest) ? [] : idUses.flatMap((one) => checkId(rest, one))
}

function checkId(rest: string, { id, line }: { id: string; line: number }): Fault[] {
  if (id === "" || rest.includes(id) || isComposed(rest, id)) return []
  return [faultAt(line, "missing_id", `no element has the id "${id}".`)]
}

/** Whether a text may put a name together: `row-` with a number, say. */
export function isComposed(rest: string, name: string): boolean {
  return [...name.matchAll(/[-_:.]|\d+|[A-Z]/g)].some(({ 0: part, index }) => {
    const start = name.slice(0, index)
    if (start === "") return false
    const starts = /^[-_:.]/.test(part) ? [start + part, `${start}"`, `${start}'`, `${start}\${`] : [start]
    return starts.some((one) => ['"', "'", "`", " "].some((quote) => rest.includes(`${quote}${one}`)))
  })
}
