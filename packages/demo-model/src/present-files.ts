/** A project's existing files, as shown in the planner's and architect's prompts. */
export interface PresentFiles {
  /** Texts of the files in the prompt, by path. */
  texts: Map<string, string>
  /** True if the project has files, whether or not they are in the prompt. */
  hasAny: boolean
}

const heading = "The project has these files already."
const title = "User request:"

/** Reads the existing files from a prompt: each path, and its text in a code fence. */
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

/** Returns the fenced request at the start or end of a prompt. If there is no fence, returns the whole prompt. */
export function requestIn(asked: string): string {
  const lines = asked.trimEnd().split("\n")
  const isFirst = lines[0] === title && isFence(lines[1])
  const last = lines.length - 1
  const start = isFirst ? 1 : isFence(lines[last]) ? lines.lastIndexOf(lines[last] ?? "", last - 1) : -1
  if (start < 1 || lines[start - 1] !== title) return asked
  return lines.slice(start + 1, lines.indexOf(lines[start] ?? "", start + 1)).join("\n")
}

/** Returns the current text of a coder's file, or undefined if the file is new. */
export function textIn(task: string): string | undefined {
  const lines = task.split("\n")
  const start = lines.findIndex((line) => line.startsWith("The file holds this at present.")) + 1
  const end = lines.indexOf(lines[start] ?? "", start + 1)
  return start === 0 || !isFence(lines[start]) || end < 0 ? undefined : textOf(lines.slice(start + 1, end))
}

function isFence(line: string | undefined): boolean {
  return /^`{3,}$/.test(line ?? "")
}

/** A fence is on its own line, so each text ends with a newline, as do all of the demo's files. */
function textOf(lines: string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}
