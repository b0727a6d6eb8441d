import { clip } from "./tool-kinds.ts"

const SUMMARY_CHARS = 500

/** The beginning of what a tool put out, for its event; and all of it, where that is more. */
export function toolOutput(text: string): { summary: string; output?: string } {
  const trimmed = text.trim()
  const summary = clip(trimmed, SUMMARY_CHARS)
  return summary === trimmed ? { summary } : { summary, output: text }
}
