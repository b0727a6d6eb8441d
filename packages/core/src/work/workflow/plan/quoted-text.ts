/** Text between fences that it can't close by itself, so that a model sees where it ends. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`
}

/** The user's request, verbatim, as all three roles read it: no role may know less of it than the others. */
export function requestSection(prompt: string): string {
  return `User request:\n${fenced(prompt)}`
}
