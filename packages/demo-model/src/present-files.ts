/** The files that a project has, as the planner and the architect are shown them. */
export interface PresentFiles {
  /** The texts of those that are shown whole. */
  texts: Map<string, string>
  /** Whether there is any file, shown or not. */
  hasAny: boolean
}

const heading = "The project has these files already."
const title = "User request:"

/** Reads the part of a prompt that shows the present files: each path, and its text between fences. */
export function presentFiles(asked: string): PresentFiles {
  const lines = asked.split("\n")
  const start = lines.findIndex((line) => line.startsWith(heading))
  const texts = new Map<string, string>()
  if (start < 0) return { texts, hasAny: false }
  for (let at = start + 1; at < lines.length; at += 1) {
    const path = (lines[at - 1] ?? "").replace(/:$/, "")
    if (!isFence(lines[at])) continue
    const end = lines.indexOf(lines[at] ?? "", at + 1)
    if (end < 0) break
    if (`${path}:` === title) break
    texts.set(path, textOf(lines.slice(at + 1, end)))
    at = end
  }
  return { texts, hasAny: true }
}

/** The request in its fence, as all roles are sent it: at the beginning or at the end. Without one, all that was asked. */
export function requestIn(asked: string): string {
  const lines = asked.trimEnd().split("\n")
  const isFirst = lines[0] === title && isFence(lines[1])
  const last = lines.length - 1
  const start = isFirst ? 1 : isFence(lines[last]) ? lines.lastIndexOf(lines[last] ?? "", last - 1) : -1
  if (start < 1 || lines[start - 1] !== title) return asked
  return lines.slice(start + 1, lines.indexOf(lines[start] ?? "", start + 1)).join("\n")
}

/** The present text of a coder's file; undefined if it is new. */
export function textIn(task: string): string | undefined {
  const lines = task.split("\n")
  const start = lines.findIndex((line) => line.startsWith("The file holds this at present.")) + 1
  const end = lines.indexOf(lines[start] ?? "", start + 1)
  return start === 0 || !isFence(lines[start]) || end < 0 ? undefined : textOf(lines.slice(start + 1, end))
}

function isFence(line: string | undefined): boolean {
  return /^`{3,}$/.test(line ?? "")
}

/** A fence stands on a line of its own, so a text that ends without a line feed gets one; the demo's files all end with one. */
function textOf(lines: string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}
