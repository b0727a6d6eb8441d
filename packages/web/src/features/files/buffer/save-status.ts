import { type Buffer, isDirty } from "./buffer.ts"

export interface SaveStatus {
  state: "clean" | "unsaved" | "saving" | "saved" | "undecided" | "too_long" | "read_only"
  /** The status in words; null if there is nothing to say. */
  text: string | null
}

interface Circumstances {
  readOnly: string | null
  /** Maximum number of characters. */
  limit: number
  /** Author of the stored version; null for a person. */
  writer?: string | null
}

/** Returns whether the open file can be saved, and if not, why. Only `unsaved` can. */
export function saveStatus(buffer: Buffer | null, { readOnly, limit, writer = null }: Circumstances): SaveStatus {
  if (readOnly !== null) return { state: "read_only", text: readOnly }
  if (!buffer) return { state: "clean", text: null }
  if (buffer.saving) return { state: "saving", text: "Saving" }
  if (!isDirty(buffer)) return buffer.saved ? { state: "saved", text: "Saved" } : { state: "clean", text: null }
  if (buffer.theirs !== null)
    return { state: "undecided", text: writer === null ? "Changed in another tab" : `Changed by ${writer}` }
  const over = charsOver(buffer.text, limit)
  if (over > 0) return { state: "too_long", text: `${over.toLocaleString()} characters too long` }
  return { state: "unsaved", text: "Not saved" }
}

/**
 * Returns the number of characters above the limit. Short texts needn't be counted, because a character is one or two
 * code units.
 */
function charsOver(text: string, limit: number): number {
  if (text.length <= limit) return 0
  let count = 0
  for (const _ of text) count++
  return Math.max(0, count - limit)
}
