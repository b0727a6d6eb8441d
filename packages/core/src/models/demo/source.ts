/**
 * Source text in a template literal, as it will stand in a file: indented with the code around it here, but not there.
 * A value of several lines is indented like the line it stands in, and a line that is nothing but an empty value goes.
 * Backslashes mean themselves, except in \` and \${ which a template cannot hold otherwise.
 */
export function source(strings: TemplateStringsArray, ...values: (string | number)[]): string {
  const raw = strings.raw.map((text) => text.replace(/\\(`|\$)/g, "$1"))
  const lines = dedent(raw.join(slot).split("\n"))
  let next = 0
  const filled = lines.map((line) => {
    const indent = line.match(/^ */)?.[0] ?? ""
    const text = line.replaceAll(slot, () => indentRest(String(values[next++] ?? "").trimEnd(), indent))
    return text.trim() === "" && line.includes(slot) ? [] : [text]
  })
  const text = filled.flat().join("\n").replace(/ +$/gm, "")
  return `${text.replace(/^\n/, "").trimEnd()}\n`
}

/** Parts of a file with an empty line between them; a part that is false is left out. */
export function blocks(...parts: (string | false)[]): string {
  return parts.filter((part) => part !== false).join("\n")
}

export type ScriptLanguage = "typescript" | "javascript"

/**
 * One source for TypeScript and JavaScript: what stands between ‹ and › is TypeScript's alone, and the names of its
 * files end in .ts. A block of lines that is all TypeScript takes the empty line after it along.
 */
export function script(language: ScriptLanguage, text: string): string {
  if (language === "typescript") return text.replace(/[‹›]/g, "")
  return text
    .replace(/^‹[^›]*›\n\n?/gm, "")
    .replace(/‹[^›]*›/g, "")
    .replace(/\.ts\b/g, ".js")
}

/** Without `export`, for a script that a page loads with no module system, and so from a double-clicked file too. */
export function plainScript(text: string): string {
  return text.replace(/^export /gm, "")
}

/** A string literal that means the same in TypeScript, JavaScript, Python, JSON and TOML. */
export function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed())
}

/** Text that is only text in HTML, between tags as well as in a quoted attribute. */
export function html(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** `text-stats` is `text_stats` in Python. */
export function snake(kebab: string): string {
  return kebab.replaceAll("-", "_")
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const slot = "\0"

function dedent(lines: string[]): string[] {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/[^ ]/))
  const common = Math.min(...indents)
  return lines.map((line) => line.slice(common))
}

function indentRest(text: string, indent: string): string {
  return text.replace(/\n(?=[^\n])/g, `\n${indent}`)
}
