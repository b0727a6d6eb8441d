import { unquotePath } from "./git-quote.ts"

/** Header lines that come before the hunks of a file. */
export interface DiffHeader {
  oldPath: string
  newPath: string
  oldMode: string | null
  newMode: string | null
  isNew: boolean
  isDeleted: boolean
  isRenamed: boolean
  isCopied: boolean
}

/**
 * Parses the first header line of a file, which contains two paths. They can be separated only if they are quoted or
 * equal.
 */
export function openHeader(line: string): DiffHeader {
  const [oldPath, newPath] = bothPaths(line.slice("diff --git ".length))
  const same = { oldMode: null, newMode: null, isNew: false, isDeleted: false, isRenamed: false, isCopied: false }
  return { oldPath, newPath, ...same }
}

/** Reads another header line. Ignores unknown lines. */
export function readHeaderLine(header: DiffHeader, line: string): void {
  for (const [prefix, read] of READERS) {
    if (!line.startsWith(prefix)) continue
    read(header, line.slice(prefix.length))
    return
  }
}

const READERS: [prefix: string, read: (header: DiffHeader, rest: string) => void][] = [
  ["old mode ", (header, rest) => set(header, { oldMode: rest })],
  ["new mode ", (header, rest) => set(header, { newMode: rest })],
  ["new file mode ", (header, rest) => set(header, { isNew: true, newMode: rest })],
  ["deleted file mode ", (header, rest) => set(header, { isDeleted: true, oldMode: rest })],
  ["rename from ", (header, rest) => set(header, { isRenamed: true, oldPath: unquotePath(rest) })],
  ["rename to ", (header, rest) => set(header, { isRenamed: true, newPath: unquotePath(rest) })],
  ["copy from ", (header, rest) => set(header, { isCopied: true, oldPath: unquotePath(rest) })],
  ["copy to ", (header, rest) => set(header, { isCopied: true, newPath: unquotePath(rest) })],
  ["index ", readModeOfBoth],
  ["--- ", (header, rest) => set(header, pathOf(rest, "oldPath"))],
  ["+++ ", (header, rest) => set(header, pathOf(rest, "newPath"))],
]

function set(header: DiffHeader, values: Partial<DiffHeader>): void {
  Object.assign(header, values)
}

/** Reads `index <old>..<new> <mode>`, which contains the mode only if both sides have the same mode. */
function readModeOfBoth(header: DiffHeader, rest: string): void {
  const mode = / (\d{6})$/.exec(rest)?.[1]
  if (mode) set(header, { oldMode: mode, newMode: mode })
}

/**
 * Returns the path in a line `--- a/path` or `+++ b/path`. Ignores `/dev/null`. If a path contains a space, git adds a
 * tab after it, even if the path is quoted.
 */
function pathOf(rest: string, key: "oldPath" | "newPath"): Partial<DiffHeader> {
  if (rest === "/dev/null") return {}
  return { [key]: withoutPrefix(unquotePath(rest.replace(/\t$/, ""))) }
}

/**
 * Splits `a/path b/path` if the paths are quoted or have the same length. In other cases, the paths are repeated in
 * other header lines.
 */
function bothPaths(rest: string): [string, string] {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(rest)
  if (quoted?.[1] && quoted[2]) return [withoutPrefix(unquotePath(quoted[1])), withoutPrefix(unquotePath(quoted[2]))]
  const half = (rest.length - 1) / 2
  return [withoutPrefix(rest.slice(0, half)), withoutPrefix(rest.slice(half + 1))]
}

function withoutPrefix(path: string): string {
  return path.replace(/^[ab]\//, "")
}
