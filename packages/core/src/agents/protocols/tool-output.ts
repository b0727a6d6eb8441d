import { clip } from "./tool-kinds.ts"

const SUMMARY_CHARS = 500

/**
 * Returns the beginning of a tool's output, to be stored in its event. If the output is longer, also returns the whole
 * output.
 */
export function toolOutput(text: string): { summary: string; output?: string } {
  const trimmed = text.trim()
  const summary = clip(trimmed, SUMMARY_CHARS)
  return summary === trimmed ? { summary } : { summary, output: text }
}
