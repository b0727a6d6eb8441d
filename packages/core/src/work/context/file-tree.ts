/** Maximum length of the path list in a prompt in characters, about 10,000 tokens. */
export const MAX_TREE_CHARS = 40_000

/**
 * Returns the lines of the file tree, sorted. If not all paths fit, lists folders with their number of files, at the
 * greatest depth that fits. The result doesn't depend on the order of the input.
 */
export function fileTree(paths: readonly string[], maxChars = MAX_TREE_CHARS): string[] {
  const sorted = [...paths].sort()
  let lines = sorted
  let depth = sorted.reduce((most, path) => Math.max(most, path.split("/").length - 1), 0)
  while (lengthOf(lines) > maxChars && depth > 0) lines = foldBelow(sorted, depth--)
  return firstLinesIfNeeded(lines, maxChars)
}

/**
 * Returns the file tree with one line per folder, sorted. The last line contains the number of `isForeign` files, which
 * are third-party or generated. If not all lines fit, replaces the deepest folders with their number of files.
 */
export function compactTree(
  paths: readonly string[],
  maxChars: number,
  isForeign: (path: string) => boolean = () => false,
): string[] {
  const [foreign, listed] = [paths.filter(isForeign), paths.filter((path) => !isForeign(path))]
  const sorted = listed.sort()
  const last = foreign.length > 0 ? [foreignLine(foreign, maxChars)] : []
  const linesAt = (depth: number) => byFolder(depth < 0 ? sorted : foldBelow(sorted, depth), maxChars)
  const deepest = sorted.reduce((most, path) => Math.max(most, path.split("/").length - 1), 0)
  let lines = linesAt(-1)
  for (let depth = deepest; depth > 0 && lengthOf([...lines, ...last]) > maxChars; depth--) lines = linesAt(depth)
  return firstLinesIfNeeded([...lines, ...last], maxChars)
}

function foreignLine(paths: readonly string[], maxChars: number): string {
  const title = "Third-party or generated: "
  return title + firstNames(foldBelow([...paths].sort(), 1), maxChars / 4 - title.length - MORE_NAMES_CHARS)
}

/** Groups lines by their parent folders. If a folder has too many names, keeps only the first ones. */
function byFolder(lines: readonly string[], maxChars: number): string[] {
  const parentOf = (line: string) => line.slice(0, (line.split("/ (", 1)[0] ?? line).lastIndexOf("/") + 1)
  return [...Map.groupBy(lines, parentOf)].map(([folder, inside]) => {
    const names = inside.map((line) => line.slice(folder.length))
    const most = Math.max(0, maxChars - folder.length - MORE_NAMES_CHARS)
    const shown = firstNames(names, most)
    return folder === "" ? shown : `${folder}: ${shown}`
  })
}

/** Room for the text with the number of names that don't fit. */
const MORE_NAMES_CHARS = 20

function firstNames(names: readonly string[], maxChars: number): string {
  let chars = 0
  const end = names.findIndex(({ length }) => {
    chars += length + ", ".length
    return chars > maxChars
  })
  return end < 0 ? names.join(", ") : `${names.slice(0, end).join(", ")} … and ${names.length - end} more`
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

function firstLinesIfNeeded(lines: string[], maxChars: number): string[] {
  return lengthOf(lines) > maxChars ? firstLines(lines, maxChars) : lines
}

/** Returns the lines that fit, and a last line with the number of remaining lines. */
function firstLines(lines: readonly string[], maxChars: number): string[] {
  const room = maxChars - `… and ${lines.length} more`.length
  let chars = 0
  const end = lines.findIndex(({ length }) => {
    chars += length + 1
    return chars > room
  })
  return [...lines.slice(0, end), `… and ${lines.length - end} more`]
}
