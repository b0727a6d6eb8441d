/** Separates the locked part from the open part in a whole prompt. */
export const SEPARATOR = "----- Everything below this line is yours -----"

const LOADING_RULES = "Loading the rules…"
const LOADING_PREFIX = "Loading the instructions…"

/** Returns the locked part of a node's prompt: the rules for all nodes, then its own. */
export function lockedText(rules: readonly string[], prefix: string): string {
  const listed = rules.map((rule) => `- ${rule}`).join("\n")
  return [listed ? `Rules that always hold:\n${listed}` : LOADING_RULES, prefix.trim() || LOADING_PREFIX].join("\n\n")
}

/** Returns the whole prompt: both parts as one text. */
export function wholeText(locked: string, open: string): string {
  return `${locked}\n\n${SEPARATOR}\n${open}`
}

/** Returns the open part of a whole prompt; null if its locked part was changed. */
export function openPart(whole: string, locked: string): string | null {
  const start = `${locked}\n\n${SEPARATOR}\n`
  const text = whole.replace(/\r\n?/g, "\n")
  return text.startsWith(start) ? text.slice(start.length) : null
}

/**
 * Returns the text that a paste inserts: of a whole prompt, only the open part. Refused if its locked part was changed.
 */
export function pastedPart(pasted: string, locked: string): { text: string } | { refused: true } {
  const open = openPart(pasted, locked)
  if (open !== null) return { text: open }
  return pasted.includes(SEPARATOR) ? { refused: true } : { text: pasted }
}

export function countChars(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Returns an edited text with insertions beyond the limit cut off. `end` is where the insertion then ends. */
export function withinLimit(before: string, after: string, limit: number): { text: string; end: number; cut: number } {
  const now = Array.from(after)
  const cut = now.length - limit
  if (cut <= 0) return { text: after, end: after.length, cut: 0 }
  const was = Array.from(before)
  const shorter = Math.min(was.length, now.length)
  let head = 0
  while (head < shorter && was[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && was[was.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  const inserted = now.slice(head, Math.max(head, now.length - tail - cut))
  const kept = [...now.slice(0, head), ...inserted]
  const text = [...kept, ...now.slice(now.length - tail)].slice(0, limit).join("")
  return { text, end: Math.min(text.length, kept.join("").length), cut }
}
