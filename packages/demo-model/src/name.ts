/** A name for a project that is safe as text anywhere: letters, digits and single spaces or hyphens, at most 40 of them. */
export function cleanName(text: string): string {
  const plain = text
    .slice(0, 400)
    .toWellFormed()
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}-]+/gu, " ")
    .replace(/(^|\s)[-\s\p{M}]+|-+(?=\s|$)/gu, "$1")
    .replace(/\s+/g, " ")
    .trim()
  return [...plain].slice(0, 40).join("").trim()
}

/** The name as registries want it: plain letters, digits and hyphens, or `fallback` when nothing is left. */
export function packageName(name: string, fallback: string): string {
  const ascii = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
  return /[a-z]/.test(ascii) ? ascii : fallback
}

/**
 * The project's name: the one that the prompt gives in so many words, or else the words of its first phrase
 * ("Build a tiny URL shortener with tests" is about a "URL Shortener"). Empty when it says neither.
 */
export function nameIn(prompt: string): string {
  const given = givenName(prompt)
  return given === "" ? firstPhrase(prompt) : given
}

function givenName(prompt: string): string {
  const inQuotes = prompt.match(/\b(?:called|named)\s+["“”'‘`]([^"“”'’`\n]{1,60})["“”'’`]/i)
  if (inQuotes?.[1]) return cleanName(inQuotes[1])
  const bare = prompt.match(/\b(?:called|named)\s+(?!after\b|by\b)((?:\p{Lu}[\p{L}\p{N}-]*\s?){1,3}|[\p{L}\p{N}-]+)/u)
  return bare?.[1] ? cleanName(bare[1]) : ""
}

function firstPhrase(prompt: string): string {
  const phrases = prompt.split(phraseEnd)
  for (const phrase of phrases.slice(0, 20)) {
    const words = phrase.split(/[^\p{L}\p{M}\p{N}-]+/u).filter((word) => word !== "" && !filler.test(word))
    if (words.some((word) => !form.test(word))) return cleanName(words.slice(0, 4).map(titleCase).join(" "))
  }
  return ""
}

function titleCase(word: string): string {
  const known: Record<string, string> = { url: "URL", api: "API", cli: "CLI", html: "HTML", id: "ID", json: "JSON" }
  return known[word.toLowerCase()] ?? word.charAt(0).toUpperCase() + word.slice(1)
}

const phraseEnd =
  /[.,;:!?()\n]|(?<=^|\s)(?:with|that|which|using|in|for|where|and|to(?! do\b)|from|of|called|named)(?=\s|$)/iu

/** Words that are about the asking, or about the language, and so no part of a name. */
const filler =
  /^(please|can|could|would|you|i|we|me|us|my|our|your|want|need|like|lets?|a|an|the|some|build|create|make|write|generate|develop|implement|design|give|do|tiny|small|simple|basic|minimal|little|quick|nice|beautiful|modern|clean|new|good|working|complete|fully|tests?|tested|typescript|javascript|python|node|nodejs|js|ts|py|vanilla|plain|in-memory)$/i

/** Words that say what form the thing has, but not what it is. */
const form =
  /^(server|service|api|rest|http|backend|cli|command-line|command|line|tool|script|program|terminal|console|library|package|module|function|web|website|site|page|webpage|html|static|landing|homepage|app|application|project|something|anything|thing|it|hello|hi|hey|test)$/i
