import { type OpenThoughts, stepThoughts, type ThoughtStep } from "./thoughts.ts"

/** The state of reading an answer outside of its edit blocks. Never changed, so that a partial line can be tried. */
export interface Prose {
  thoughts: OpenThoughts
  fence: Fence | undefined
  /** Thoughts that the open fence quotes, and whether it has the end of some that it doesn't begin. */
  quoted: OpenThoughts
  hasQuotedEnd: boolean
}

/** A line that opens or closes a fence. */
interface Fence {
  /** Its backticks or tildes. */
  mark: string
  column: number
  /** The number of `>` before it. */
  depth: number
  /** Whether it can only open a fence: it has a language, or begins an item of a list. */
  isOpening: boolean
  outer?: Fence
}

export const startOfProse: Prose = { thoughts: [], fence: undefined, quoted: [], hasQuotedEnd: false }

export interface ProseLine {
  prose: Prose
  /** `words`: the model's own, outside of fences and thoughts, `fence`: quoted, the lines of the fence itself included. */
  kind: "words" | "fence" | "thought"
  /** The line without thoughts. */
  words: string
  endsUnbegun: ThoughtStep["endsUnbegun"]
}

/** Reads one line of an answer. */
export function readProse(prose: Prose, line: string): ProseLine {
  const mark = prose.thoughts.length === 0 ? fenceIn(line) : undefined
  const quoted = { kind: "fence" as const, words: line, endsUnbegun: undefined }
  if (prose.fence) return { prose: inFence(prose, prose.fence, line, mark), ...quoted }
  if (mark) return { prose: { ...prose, fence: mark, quoted: [], hasQuotedEnd: false }, ...quoted }
  const { open, words, endsUnbegun } = stepThoughts(prose.thoughts, line)
  const isThought = words === "" && (open.length > 0 || prose.thoughts.length > 0)
  const next = open === prose.thoughts ? prose : { ...prose, thoughts: open }
  return { prose: next, kind: isThought ? "thought" : "words", words, endsUnbegun }
}

/** An answer without its model's thoughts. */
export function withoutThoughts(answer: string): string {
  let prose = startOfProse
  let kept: string[] = []
  for (const line of answer.split("\n")) {
    const read = readProse(prose, line)
    prose = read.prose
    if (read.endsUnbegun) kept = []
    if (read.kind !== "thought") kept.push(read.words)
  }
  return kept.join("\n")
}

/** The fence that a line opens or closes, in lists and quotations too. */
function fenceIn(line: string): Fence | undefined {
  if (!line.includes("```") && !line.includes("~~~")) return undefined
  const [all = "", before = "", mark] = FENCE.exec(line) ?? []
  const info = line.slice(all.length)
  if (mark === undefined || (mark.startsWith("`") && info.includes("`"))) return undefined
  const place = { column: before.replaceAll("\t", "    ").length, depth: before.split(">").length - 1 }
  return { mark, ...place, isOpening: info.trim() !== "" || /[^\s>]/.test(before) }
}

const FENCE = /^((?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*)(`{3,}|~{3,})/

/** Models put fences with a language into others that are no longer than they, so these are counted. */
function inFence(prose: Prose, fence: Fence, line: string, found: Fence | undefined): Prose {
  if (found?.mark.startsWith(fence.mark)) {
    if (found.isOpening) return { ...prose, fence: { ...found, outer: fence } }
    if (closes(found, fence)) return { ...prose, fence: fence.outer, hasQuotedEnd: !!fence.outer && prose.hasQuotedEnd }
  }
  const { open, endsUnbegun } = stepThoughts(prose.quoted, line)
  return { ...prose, quoted: open, hasQuotedEnd: prose.hasQuotedEnd || endsUnbegun !== undefined }
}

/** As Markdown has it: what is farther to the right, in another quotation or outside of the list is none of its lines. */
function closes({ column, depth }: Fence, fence: Fence): boolean {
  return depth === fence.depth && column >= fence.column && column < fence.column + 4
}
