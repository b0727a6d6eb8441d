/** Puts text between fences that it can't close itself, so that its end is clear to a model. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${fence}`
}

/** Puts a text as data between tags that it can't close itself. */
export function inTags(name: string, about: string, text: string): string {
  return `${about}\n<${name}>\n${text.replaceAll(`</${name}`, `< /${name}`)}\n</${name}>`
}
