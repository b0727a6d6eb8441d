/** Puts text between code fences that the text itself can't close, so that a model recognises where the text ends. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${fence}`
}

/** Puts text between tags that the text itself can't close, to mark it as data. */
export function inTags(name: string, about: string, text: string): string {
  return `${about}\n<${name}>\n${text.replaceAll(`</${name}`, `< /${name}`)}\n</${name}>`
}
