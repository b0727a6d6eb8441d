import { lexer } from "marked"
import remend from "remend"

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

/**
 * The blocks of a text. Those that an earlier state of it had, but for the last, are kept as they were: their cost is paid
 * once, and what is drawn of them stays.
 */
export function splitBlocks(text: string, before: Split | null): readonly Block[] {
  const kept = before && text.startsWith(before.text) ? before.blocks.slice(0, -UNSETTLED) : []
  const from = before && kept.length > 0 ? (before.blocks[kept.length]?.at ?? 0) : 0
  const blocks: Block[] = [...kept]
  let at = from
  for (const { type, raw } of lexer(text.slice(from))) {
    if (type !== "space") blocks.push({ at, source: raw })
    at += raw.length
  }
  const last = blocks.at(-1)
  if (last) blocks[blocks.length - 1] = { ...last, source: remend(last.source) }
  return blocks
}
