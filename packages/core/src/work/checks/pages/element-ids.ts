import { extensionOf } from "../facts/file-kinds.ts"
import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import { faultsOf, type Project } from "../facts/project.ts"

const MARKUP = new Set(
  "html htm js mjs cjs jsx ts tsx vue svelte php py rb go java cs ejs hbs pug njk erb tmpl".split(" "),
)
const LOOKUP = /(?:getElementById|querySelector(?:All)?)(?:<[^<>()]*>)?\(\s*["'`]#?[^"'`\n]{0,200}["'`]/g

/** Elements that a script looks up by an id, and that nothing in the project gives this id. */
export function checkElementIds(project: Project): Finding[] {
  const texts = [...project.files].flatMap(([path, text]) => (text && MARKUP.has(extensionOf(path)) ? [text] : []))
  if (![...project.files.keys()].some((path) => /\.html?$/.test(path))) return []
  // A look-up of an element doesn't make it.
  const rest = texts.map((text) => text.replaceAll(LOOKUP, "")).join("\n")
  return faultsOf(project, "javascript", (path, { ids }) =>
    /(?:^|[./_-])(?:tests?|specs?|__tests__)(?:[./_-])/.test(path) ? [] : ids.flatMap((one) => checkId(rest, one)),
  )
}

function checkId(rest: string, { id, line }: { id: string; line: number }): Fault[] {
  if (id === "" || rest.includes(id) || isComposed(rest, id)) return []
  return [faultAt(line, "missing_id", `no element has the id "${id}".`)]
}

/** Whether an id may be put together: `row-` with a number, say. */
function isComposed(rest: string, id: string): boolean {
  const parts = [...id.matchAll(/[-_:.]|\d+|[A-Z]/g)].map(({ index }) => index)
  return parts.some(
    (end) =>
      end > 0 &&
      [`"${id.slice(0, end)}`, `'${id.slice(0, end)}`, `\`${id.slice(0, end)}`].some((start) => rest.includes(start)),
  )
}
