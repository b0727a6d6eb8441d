import { hasWords } from "@switchyard/core/sessions/word-search"
import { defaultFilter } from "cmdk"

/**
 * Rates how well an item of the palette matches the typed text; 0 if not at all. Its value starts with its kind and
 * contains an ID, which would match almost any letters, so only its words count.
 */
export function score(value: string, search: string, words: string[] = []): number {
  const name = words.join(" ")
  const [kind] = value.split(" ")
  const fit = defaultFilter?.(name, search) ?? 0
  if (kind === "file") return isFile(name, search) ? EXACT : fit
  // The server finds words in any order.
  if (kind === "session") return fit || (hasWords(name, search) ? FOUND : 0)
  // The server matches words anywhere in a message, so messages come after items whose name matches.
  if (kind === "message") return TOLD
  if (kind === "more") return LAST
  return kind === "here" ? fit * HERE : fit
}

const EXACT = 2
const FOUND = 0.1
const TOLD = 0.005
const LAST = 0.001
/** The user is already on this page. */
const HERE = 0.01

/** Returns true if the search is the path, the name, or the name without its extension. */
function isFile(path: string, search: string): boolean {
  const asked = search.trim().toLowerCase()
  const name = path.toLowerCase().slice(path.lastIndexOf("/") + 1)
  return [path.toLowerCase(), name, name.replace(/\.[^.]+$/, "")].includes(asked)
}
