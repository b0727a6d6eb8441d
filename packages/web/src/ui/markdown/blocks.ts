import remend from "remend"
import { blockLines } from "./markdown-nodes.ts"

/** One block of a text that is being written. */
export interface Block {
  /** Its offset in the text. */
  at: number
  /** Its Markdown; of the last block, with what it takes to close what is open in it. */
  source: string
}

interface Split {
  text: string
  blocks: readonly Block[]
}

/** So many blocks at the end may still change when more is written: a paragraph can become a heading, or part of a list. */
const UNSETTLED = 2
/** Longest block whose open emphasis and links are closed: the library takes the square of its length. */
const MAX_CLOSED_CHARS = 4000

/**
 * The blocks of a text. Those that an earlier state of it had, but for the last, are kept as they were: their cost is paid
 * once, and what is drawn of them stays.
 */
export function splitBlocks(text: string, before: Split | null): readonly Block[] {
  const kept = before && text.startsWith(before.text) ? before.blocks.slice(0, -UNSETTLED) : []
  const from = before && kept.length > 0 ? (before.blocks[kept.length]?.at ?? 0) : 0
  const rest = text.slice(from)
  const starts = lineStarts(rest)
  const lines = blockLines(rest)
  const found = lines.map((block): Block => {
    const start = starts[block.from] ?? 0
    return { at: from + start, source: rest.slice(start, starts[block.to] ?? rest.length) }
  })
  const last = found.at(-1)
  const isCode = lines.at(-1)?.type === "fence" || lines.at(-1)?.type === "code_block"
  if (last && !isCode && last.source.length <= MAX_CLOSED_CHARS) last.source = remend(last.source)
  return [...kept, ...found]
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return starts
}
