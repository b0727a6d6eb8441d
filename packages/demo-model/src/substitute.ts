/** Exact strings of a recipe's files, and what a project has in their place. */
export type Substitutions = Record<string, string>

/** Makes all substitutions in one pass, so nothing is replaced in what was filled in. Where two begin, the longer one is made. */
export function substitute(text: string, substitutions: Substitutions): string {
  const known = Object.keys(substitutions).sort((a, b) => b.length - a.length)
  if (known.length === 0) return text
  const pattern = new RegExp(known.map((part) => RegExp.escape(part)).join("|"), "g")
  return text.replace(pattern, (part) => substitutions[part] ?? part)
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A string literal that means the same in TypeScript, JavaScript, Python, JSON and TOML. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}
