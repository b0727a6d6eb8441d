/** Maximum characters of the path list in a prompt, about 10,000 tokens. */
export const MAX_TREE_CHARS = 40_000

/**
 * Returns the lines of the file tree, sorted. If the paths don't all fit, lists the folders at the greatest depth that
 * fits, with the number of files in each. Independent of the input order.
 */
export function fileTree(paths: readonly string[], maxChars = MAX_TREE_CHARS): string[] {
  const sorted = [...paths].sort()
  let lines = sorted
  let depth = sorted.reduce((most, path) => Math.max(most, path.split("/").length - 1), 0)
  while (lengthOf(lines) > maxChars && depth > 0) lines = foldBelow(sorted, depth--)
  return lengthOf(lines) > maxChars ? firstLines(lines, maxChars) : lines
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length + 1, -1)
}

/** Replaces the contents of each folder at this depth with a single line. */
function foldBelow(sorted: readonly string[], depth: number): string[] {
  const inFolder = new Map<string, number>()
  for (const path of sorted) {
    const parts = path.split("/")
    const line = parts.length > depth ? `${parts.slice(0, depth).join("/")}/` : path
    inFolder.set(line, (inFolder.get(line) ?? 0) + 1)
  }
  return [...inFolder].map(([line, count]) =>
    line.endsWith("/") ? `${line} (${count} ${count === 1 ? "file" : "files"})` : line,
  )
}

/** Returns the lines that fit, and a line with the number of remaining lines. */
function firstLines(lines: readonly string[], maxChars: number): string[] {
  const room = maxChars - `… and ${lines.length} more`.length
  let chars = 0
  const end = lines.findIndex(({ length }) => {
    chars += length + 1
    return chars > room
  })
  return [...lines.slice(0, end), `… and ${lines.length - end} more`]
}
