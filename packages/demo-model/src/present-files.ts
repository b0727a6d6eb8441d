import { elementsIn, type SelectedElement } from "./selected-elements.ts"

/** A request as the demo reads it. */
export interface DemoRequest {
  prompt: string
  elements: SelectedElement[]
}

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

/**
 * Returns the fenced request at the start or end of a prompt, with its elements. If there is no fence, returns the whole
 * prompt.
 */
export function requestIn(asked: string): DemoRequest {
  const lines = asked.trimEnd().split("\n")
  const start = lines[0] === title && isFence(lines[1]) ? 1 : lastRequest(lines)
  if (start === undefined) return { prompt: asked, elements: [] }
  const end = lines.indexOf(lines[start] ?? "", start + 1)
  return { prompt: lines.slice(start + 1, end).join("\n"), elements: elementsIn(lines.slice(end + 1)) }
}

/** Returns the line where the fence of a prompt's last request starts. Fences of elements may follow it. */
function lastRequest(lines: readonly string[]): number | undefined {
  let end = lines.length - 1
  while (isFence(lines[end])) {
    const start = lines.lastIndexOf(lines[end] ?? "", end - 1)
    if (start < 1) return undefined
    if (lines[start - 1] === title) return start
    if (!lines[start - 1]?.startsWith("Element ")) return undefined
    end = isFence(lines[start - 2]) ? start - 2 : start - 3
  }
  return undefined
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
