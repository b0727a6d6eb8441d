export const keyNames = ["Esc", "Tab", "⇧Tab", "←", "↑", "↓", "→"] as const
export type KeyName = (typeof keyNames)[number]

const fixed = { Esc: "\u001b", Tab: "\t", "⇧Tab": "\u001b[Z" } as const
const arrows = { "↑": "A", "↓": "B", "→": "C", "←": "D" } as const

/** Returns the sequence that a key sends. Arrows differ in application cursor mode. */
export function sequenceFor(key: KeyName, { application }: { application: boolean }): string {
  if (key in fixed) return fixed[key as keyof typeof fixed]
  return `\u001b${application ? "O" : "["}${arrows[key as keyof typeof arrows]}`
}

/** Returns a letter's control character, or the text itself if there is none. */
export function withCtrl(text: string): string {
  if (text === " ") return "\u0000"
  return /^[a-z@[\\\]^_]$/i.test(text) ? String.fromCharCode(text.toUpperCase().charCodeAt(0) & 0x1f) : text
}

/**
 * Returns true for the only chord that a terminal leaves to the page. Without it, keyboard users couldn't leave the
 * terminal.
 */
export function isLeaveChord({
  ctrlKey,
  shiftKey,
  code,
}: Pick<KeyboardEvent, "ctrlKey" | "shiftKey" | "code">): boolean {
  return ctrlKey && shiftKey && code === "Backquote"
}

export function isFindChord({ ctrlKey, metaKey, altKey, shiftKey, key }: Omit<KeyChord, "code">): boolean {
  return (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === "f"
}

type KeyChord = Pick<KeyboardEvent, "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "key" | "code">
