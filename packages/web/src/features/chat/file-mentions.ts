const MAX_MENTIONS = 6

/** Returns unselected files mentioned in an answer outside of code, longest paths first. */
export function mentionedFiles(answer: string, paths: readonly string[], selected: ReadonlySet<string>): string[] {
  let prose = proseOf(answer)
  const found: string[] = []
  const candidates = paths.filter((path) => !selected.has(path) && path.length > 3 && prose.includes(path))
  for (const path of candidates.sort((a, b) => b.length - a.length)) {
    if (!prose.includes(path)) continue
    found.push(path)
    // A shorter path inside this one isn't a mention of its own.
    prose = prose.replaceAll(path, " ")
  }
  return found.slice(0, MAX_MENTIONS)
}

/** Returns the text without fenced code. */
function proseOf(answer: string): string {
  let isFenced = false
  return answer
    .split("\n")
    .filter((line) => {
      const isFence = line.trimStart().startsWith("```")
      if (isFence) isFenced = !isFenced
      return !isFence && !isFenced
    })
    .join("\n")
}
