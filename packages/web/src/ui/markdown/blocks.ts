import remend from "remend"
import { blockLines } from "./markdown-nodes.ts"

/** A block of a text that is still being written. */
export interface Block {
  /** Offset in the text. */
  at: number
  /** Markdown of the block. For the last block, includes whatever closes its open markup. */
  source: string
}

interface Split {
  text: string
  blocks: readonly Block[]
}

/**
 * Number of blocks at the end that may still change as more is written: a paragraph can become a heading, or part of a
 * list.
 */
const UNSETTLED = 2
/** Maximum length of a block whose open emphasis and links are closed, because the library takes quadratic time. */
const MAX_CLOSED_CHARS = 4000

/**
 * Splits a text into blocks. Blocks of an earlier state of the text are reused, except the last ones, so that they are
 * parsed and drawn only once.
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
