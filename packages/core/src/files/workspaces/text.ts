import { AppError } from "../../errors.ts"

/** Maximum length of a text in the editor, in code points, because people count those as characters. */
export const MAX_EDITABLE_CHARS = 400_000

/** Maximum size in bytes of a text that the editor accepts. */
export const MAX_EDITABLE_BYTES = 4 * MAX_EDITABLE_CHARS

/** Encodes a text from the editor. Throws if the text is too long or can't be stored losslessly. */
export function editableBytes(text: string, path: string): Uint8Array {
  const refuse = (reason: string) => new AppError("workspace_validation_error", `The text ${reason}.`, { path })
  if (isLongerThan(text, MAX_EDITABLE_CHARS)) throw refuse(`is longer than ${MAX_EDITABLE_CHARS} characters`)
  if (!text.isWellFormed()) throw refuse("is not valid Unicode")
  if (text.includes("\0")) throw refuse("contains a NUL character")
  return new TextEncoder().encode(text)
}

function isLongerThan(text: string, chars: number): boolean {
  // A code point takes one or two UTF-16 units, so most texts needn't be counted.
  if (text.length <= chars) return false
  if (text.length > 2 * chars) return true
  let count = 0
  for (const _ of text) count++
  return count > chars
}
