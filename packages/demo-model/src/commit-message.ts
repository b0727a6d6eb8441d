/** Returns a commit message that names the changed files. */
export function commitMessage(request: string): string {
  const lines = request.slice(request.indexOf("\nThe changes:\n") + 1).split("\n")
  const named = lines.flatMap((line) => /^(?:added|changed|deleted) (.+)$/.exec(line)?.[1] ?? renamed(line))
  const paths = (next: RegExp) => lines.filter((_, at) => next.test(lines[at + 1] ?? "") && isPath(lines, at))
  const shown = [named, paths(/^--- (before|after)$/), paths(/^[-+ ]/)].find(({ length }) => length > 0)
  const [first = "the project", ...others] = new Set(shown)
  if (others.length === 0) return `chore: change ${first}`
  return `chore: change ${first} and ${others.length === 1 ? others[0] : `${others.length} other files`}`
}

function renamed(line: string): string[] {
  return line.startsWith("renamed ") && line.includes(" to ") ? [line.slice(line.lastIndexOf(" to ") + 4)] : []
}

/** A file's changes start with its path, after an empty line or at the top. */
function isPath(lines: readonly string[], at: number): boolean {
  const before = lines[at - 1]
  return lines[at] !== "" && (before === "" || before === "The changes:")
}
