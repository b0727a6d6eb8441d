import type { PickedElement } from "./answers.ts"
import { lineInHtml } from "./html-lines.ts"

/** Place of an element in the session's files. */
export interface ElementPlace {
  file: string
  line?: number | undefined
}

/** More pages would take too long to compare. */
const MAX_PAGES = 20
/** Longer files are rarely written by hand. */
const MAX_SEARCHED_CHARS = 300_000
const LEAST_NEEDLE_CHARS = 3

/**
 * Finds the place of an element in the session's files: as its framework reports it, or as its HTML file contains it,
 * or as the only place that contains its id, text or classes. Undefined if none of this is certain. `isServer`: the
 * page comes from the project's server or build, so its path says nothing about its file.
 */
export function locateElement(
  element: PickedElement,
  files: ReadonlyMap<string, string>,
  { isServer }: { isServer: boolean },
): ElementPlace | undefined {
  return reportedPlace(element, files) ?? placeInPage(element, files, isServer) ?? onlyPlace(element, files)
}

/** Returns the reported place if the session has such a file. Build tools report absolute paths on their own disk. */
function reportedPlace({ source }: PickedElement, files: ReadonlyMap<string, string>): ElementPlace | undefined {
  if (!source) return undefined
  const path = source.file
    .replaceAll("\\", "/")
    .replace(/^(?:file|webpack):\/\//, "")
    .replace(/[?#].*$/s, "")
  if (path.split("/").includes("..")) return undefined
  const fitting = [...files.keys()].filter((file) => path === file || path.endsWith(`/${file}`))
  const [file] = fitting.sort((a, b) => b.length - a.length)
  if (file === undefined) return undefined
  const lines = files.get(file)?.split("\n").length ?? 0
  return source.line !== undefined && source.line <= lines ? { file, line: source.line } : { file }
}

function placeInPage(
  element: PickedElement,
  files: ReadonlyMap<string, string>,
  isServer: boolean,
): ElementPlace | undefined {
  const page = isServer ? undefined : fileOfPage(element.page, files)
  const pages = isServer ? [...files.keys()].filter((file) => /\.html?$/i.test(file)).slice(0, MAX_PAGES) : []
  const found = [...pages, ...(page ? [page] : [])].flatMap((file) => {
    const line = lineInHtml(files.get(file) ?? "", element)
    return line === undefined ? [] : [{ file, line }]
  })
  return found.length === 1 ? found[0] : undefined
}

/** Returns the file at a page's path, as the preview's server finds it. */
function fileOfPage(page: string, files: ReadonlyMap<string, string>): string | undefined {
  let path: string
  try {
    path = decodeURIComponent(page).slice(1)
  } catch {
    return undefined
  }
  const file = path === "" || path.endsWith("/") ? `${path}index.html` : path
  if (files.has(file)) return file
  const folders = path.split("/")
  while (folders.pop() !== undefined) {
    const index = [...folders, "index.html"].join("/")
    if (files.has(index)) return index
  }
  return undefined
}

/** Returns the only place in the files that contains the element's id, else its text, else its classes. */
function onlyPlace(element: PickedElement, files: ReadonlyMap<string, string>): ElementPlace | undefined {
  const [id, classes] = [element.attributes.get("id"), element.attributes.get("class")]
  const quoted = (text: string | undefined) => (text ? [`"${text}"`, `'${text}'`] : [])
  const text = element.text.endsWith("…") ? [] : [element.text]
  for (const needles of [quoted(id), text, quoted(classes)]) {
    const found = needles
      .filter((needle) => needle.length >= LEAST_NEEDLE_CHARS)
      .flatMap((needle) => placesOf(needle, files))
    if (found.length === 1) return found[0]
  }
  return undefined
}

/** Returns up to two places. Documents and styles describe an element, but don't create it. */
function placesOf(needle: string, files: ReadonlyMap<string, string>): ElementPlace[] {
  const places: ElementPlace[] = []
  for (const [file, text] of files) {
    if (/\.(?:md|txt|css|scss|less|json|lock)$|\.(?:test|spec)\./i.test(file) || text.length > MAX_SEARCHED_CHARS)
      continue
    for (let at = text.indexOf(needle); at >= 0 && places.length < 2; at = text.indexOf(needle, at + needle.length))
      places.push({ file, line: text.slice(0, at).split("\n").length })
  }
  return places
}
