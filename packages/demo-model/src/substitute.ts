/** Exact texts to replace, mapped to their replacements. */
export type Substitutions = Record<string, string>

/** Replaces all texts in one pass, never within replacements. At the same place, the longer text wins. */
export function substitute(text: string, substitutions: Substitutions): string {
  const known = Object.keys(substitutions).sort((a, b) => b.length - a.length)
  if (known.length === 0) return text
  const pattern = new RegExp(known.map((part) => RegExp.escape(part)).join("|"), "g")
  return text.replace(pattern, (part) => substitutions[part] ?? part)
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns a string literal that is valid in TypeScript, JavaScript and JSON. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}
