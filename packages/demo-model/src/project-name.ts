/**
 * Returns a name that is safe in code, HTML and Markdown: at most 40 letters, digits, single spaces, hyphens,
 * typographic apostrophes, and "&" between spaces.
 */
export function cleanName(text: string): string {
  const plain = text
    .slice(0, 400)
    .toWellFormed()
    .normalize("NFC")
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, "’")
    .replace(/(?<!\p{L})’|’(?!\p{L})|[^\p{L}\p{M}\p{N}’&-]+/gu, " ")
    .replaceAll("&", " & ")
    .replace(/(^|\s)[-\s\p{M}]+|-+(?=\s|$)/gu, "$1")
    .replace(/(& )+&/g, "&")
    .replace(/^[& ]+|[& ]+$/g, "")
    .replace(/\s+/g, " ")
    .trim()
  return [...plain]
    .slice(0, 40)
    .join("")
    .replace(/(?<![&’ -])[&’ -]+$/, "")
}

/** Returns a package name: plain letters, digits and hyphens, or `fallback` if nothing is left. */
export function packageName(name: string, fallback: string): string {
  const ascii = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
  return /[a-z]/.test(ascii) ? ascii : fallback
}

/** Takes the name from a prompt: after “called”, or in quotes. */
export function takeName(prompt: string): { name: string; rest: string } {
  const found = patterns
    .map((pattern) => prompt.match(pattern))
    .find((match) => match?.[1] && cleanName(match[1]) !== "")
  if (!found?.[1]) return { name: "", rest: prompt }
  const at = found.index ?? 0
  return { name: cleanName(found[1]), rest: `${prompt.slice(0, at)} ${prompt.slice(at + found[0].length)}` }
}

/** After “called”: a name in quotes, up to four capitalised words, or one word. Last, anything in quotes. */
const patterns = [
  /(?<!\b(?:field|column|property) )\b(?:called|named|titled)\s["“”]([^"“”\n]{1,60})["“”]/i,
  /(?<!\b(?:field|column|property) )\b(?:called|named|titled)\s['‘`]([^'’`\n]{1,60})['’`]/i,
  /(?<!\b(?:field|column|property) )\b(?:called|named|titled)\s(\p{Lu}[\p{L}\p{N}-]{0,40}(?: (?:\p{Lu}[\p{L}\p{N}-]{0,40}|& \p{Lu}[\p{L}\p{N}-]{0,40})){0,3})/u,
  /(?<!\b(?:field|column|property) )\b(?:called|named|titled)\s([\p{L}\p{N}-]{1,40})/u,
  /["“]([^"“”\n]{1,60})["”]/u,
]

/** Returns an item for a list if it is safe in code, HTML and comments, otherwise undefined. */
export function itemIn(text: string): string | undefined {
  const value = text.trim().normalize("NFC")
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .,:;!?'’&()+/%€@#-]{0,79}$/u.test(value) ? value : undefined
}

/** Title-cases words: "Coffee Shop" for "coffee shop". */
export function titleOf(words: string): string {
  return cleanName(words.split(" ").map(titleCased).join(" "))
}

function titleCased(word: string): string {
  const known: Record<string, string> = { url: "URL", api: "API", cli: "CLI", html: "HTML", id: "ID", json: "JSON" }
  return known[word.toLowerCase()] ?? word.charAt(0).toUpperCase() + word.slice(1)
}

/** Camel-cases words: `dueDate` for "due date". */
export function camelCased(words: string): string {
  const [first = "", ...others] = words.split(" ").filter((word) => word !== "")
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")
}
