import * as changes from "./element-changes.ts"
import { askedChange } from "./element-text.ts"
import type { Project } from "./project.ts"
import { projectFiles } from "./project-files.ts"
import type { SelectedElement } from "./selected-elements.ts"

type ElementChange = changes.ElementChange
type Reading = { elements: ElementChange[]; fault?: undefined } | { fault: string }

/** Reads a change of the selected elements. Returns undefined if it isn't about them, or has an unknown word. */
export function readElementRequest(
  prompt: string,
  selected: readonly SelectedElement[],
  project: Project,
): Reading | undefined {
  const elements = [...(project.elements ?? [])]
  for (const element of selected) {
    const asked = askedChange(prompt, element)
    if (!asked) return undefined
    const { selector, tag } = element
    if (!changes.isPlainSelector(selector)) return { fault: "it can't find the selected element in the style sheet" }
    const { zoom: factor, text, ...looks } = asked
    const at = elements.findIndex((known) => known.selector === selector)
    const known = elements[at] ?? { selector, tag }
    const place = text === undefined ? {} : placeOf(text, element, project)
    if ("fault" in place) return place
    const zoom = factor ? { zoom: changes.boundedZoom((known.zoom ?? 1) * factor) } : {}
    const change = changes.parseChange({ ...known, ...looks, ...zoom, ...place })
    elements.splice(at < 0 ? elements.length : at, 1, ...change)
  }
  return { elements }
}

/** Returns the new text and the position of the element that it belongs to. */
function placeOf(
  text: string,
  { tag, html, line, selector }: SelectedElement,
  project: Project,
): Pick<ElementChange, "text" | "index"> | { fault: string } {
  if (text === "") return { fault: "the new text is missing, as in “make it say Welcome”" }
  if (text.length > changes.MAX_TEXT_CHARS) return { fault: "the new text is too long" }
  const files = projectFiles(project)
  const contentOf = (name: RegExp) => files.find(({ path }) => name.test(path))?.content ?? ""
  const id = selector.startsWith("#") ? selector.slice(1) : undefined
  const isWritten = [`${id}.textContent`, `find("${id}").textContent`].some((part) =>
    contentOf(/^script\.[jt]s$/).includes(part),
  )
  const lines = changes.linesWith(contentOf(/^index\.html$/), tag)
  const same = lines.filter((own) => changes.TEXT_LINE.test(own.line) && shown(own.line) === shown(html))
  const [nearest] = same.sort((a, b) => Math.abs(a.at + 1 - line) - Math.abs(b.at + 1 - line))
  if (!nearest || isWritten) {
    return { fault: "it can change only texts that are in index.html, such as a heading, a label or a button" }
  }
  return { text, index: lines.findIndex(({ at }) => at === nearest.at) }
}

/** Returns HTML in a form that doesn't depend on who wrote it: the project, or a browser. */
function shown(html: string): string {
  return changes.unescapeText(html).replace(/\p{C}/gu, "").trim()
}
