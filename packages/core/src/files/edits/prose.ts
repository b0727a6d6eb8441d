import { type OpenThoughts, stepThoughts, type ThoughtStep } from "./thoughts.ts"

/**
 * Parser state outside of edit blocks. It is immutable, so that a partial line can be parsed without committing to the
 * result.
 */
export interface Prose {
  thoughts: OpenThoughts
  fence: Fence | undefined
  /**
   * Thoughts quoted in the open fence. `hasQuotedEnd` is true if the fence contains the end of a thought without its
   * start.
   */
  quoted: OpenThoughts
  hasQuotedEnd: boolean
}

/** A line that opens or closes a code fence. */
interface Fence {
  /** Sequence of backticks or tildes. */
  mark: string
  column: number
  /** Number of `>` before the fence. */
  depth: number
  /** True if the line can only open a fence, because it names a language or starts a list item. */
  isOpening: boolean
  outer?: Fence
}

export const startOfProse: Prose = { thoughts: [], fence: undefined, quoted: [], hasQuotedEnd: false }

export interface ProseLine {
  prose: Prose
  /**
   * `words` is the model's own text, outside of fences and thoughts. `fence` is a fence line or a line inside a fence.
   */
  kind: "words" | "fence" | "thought"
  /** Text of the line without thoughts. */
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

/** Returns an answer without the model's thoughts. */
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

/** Returns the fence that a line opens or closes. The line may be part of a list or a quote. */
function fenceIn(line: string): Fence | undefined {
  if (!line.includes("```") && !line.includes("~~~")) return undefined
  const [all = "", before = "", mark] = FENCE.exec(line) ?? []
  const info = line.slice(all.length)
  if (mark === undefined || (mark.startsWith("`") && info.includes("`"))) return undefined
  const place = { column: before.replaceAll("\t", "    ").length, depth: before.split(">").length - 1 }
  return { mark, ...place, isOpening: info.trim() !== "" || /[^\s>]/.test(before) }
}

const FENCE = /^((?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*)(`{3,}|~{3,})/

/**
 * Reads a line inside a fence. Keeps track of nesting, because models nest fences of the same length if the inner fence
 * names a language.
 */
function inFence(prose: Prose, fence: Fence, line: string, found: Fence | undefined): Prose {
  if (found?.mark.startsWith(fence.mark)) {
    if (found.isOpening) return { ...prose, fence: { ...found, outer: fence } }
    if (closes(found, fence)) return { ...prose, fence: fence.outer, hasQuotedEnd: !!fence.outer && prose.hasQuotedEnd }
  }
  const { open, endsUnbegun } = stepThoughts(prose.quoted, line)
  return { ...prose, quoted: open, hasQuotedEnd: prose.hasQuotedEnd || endsUnbegun !== undefined }
}

/**
 * True if a fence closes an open one under Markdown's rules: it has the same quote depth, doesn't begin left of the
 * open fence (which would be outside of the list), and begins less than four columns right of it.
 */
function closes({ column, depth }: Fence, fence: Fence): boolean {
  return depth === fence.depth && column >= fence.column && column < fence.column + 4
}
