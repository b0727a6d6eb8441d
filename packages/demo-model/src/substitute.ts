/** Exact texts to replace, with their replacements. */
export type Substitutions = Record<string, string>

/** Replaces all texts in one pass, so that replacements stay as they are. Of two texts at one place, the longer one counts. */
export function substitute(text: string, substitutions: Substitutions): string {
  const known = Object.keys(substitutions).sort((a, b) => b.length - a.length)
  if (known.length === 0) return text
  const pattern = new RegExp(known.map((part) => RegExp.escape(part)).join("|"), "g")
  return text.replace(pattern, (part) => substitutions[part] ?? part)
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns a string literal that means the same in TypeScript, JavaScript and JSON. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}
