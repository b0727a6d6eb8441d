import { AppError } from "../../errors.ts"

/** The longest text that the editor takes, in code points: what people count as characters. */
export const MAX_EDITABLE_CHARS = 400_000

/** Longer than this, nothing that the editor takes can be. */
export const MAX_EDITABLE_BYTES = 4 * MAX_EDITABLE_CHARS

/** The bytes of a text from the editor. Refused is what is too long, and what would not be the same text once read back. */
export function editableBytes(text: string, path: string): Uint8Array {
  const refuse = (reason: string) => new AppError("workspace_validation_error", `The text ${reason}.`, { path })
  if (isLongerThan(text, MAX_EDITABLE_CHARS)) throw refuse(`is longer than ${MAX_EDITABLE_CHARS} characters`)
  if (!text.isWellFormed()) throw refuse("is not valid Unicode")
  if (text.includes("\0")) throw refuse("has a NUL character")
  return new TextEncoder().encode(text)
}

function isLongerThan(text: string, chars: number): boolean {
  // A code point is one or two units of a string, so most texts need not be counted.
  if (text.length <= chars) return false
  if (text.length > 2 * chars) return true
  let count = 0
  for (const _ of text) count++
  return count > chars
}
