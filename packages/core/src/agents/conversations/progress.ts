import type { Progress } from "./schema.ts"

/** Stands in the prompt as an example, and is no progress when an agent repeats it. */
export const EXAMPLE_PROGRESS = "what you found out or finished"

const FIELDS = { progress: "summary", location: "location", next: "next_step" } as const

/** The last progress note in what an agent said: a line that begins with "Progress:", and those that follow. */
export function findProgress(text: string): Progress | undefined {
  const notes: Partial<Progress>[] = []
  for (const line of text.split("\n")) {
    const found = /^[\s>*_-]*(progress|location|next)[\s*_]*:[\s*_]*(.+?)[\s*_]*$/i.exec(line)
    if (!found) continue
    const name = (found[1] ?? "").toLowerCase() as keyof typeof FIELDS
    if (name === "progress") notes.push({})
    Object.assign(notes.at(-1) ?? {}, { [FIELDS[name]]: found[2] })
  }
  const last = notes.findLast(({ summary }) => summary && !summary.includes(EXAMPLE_PROGRESS))
  return last?.summary ? { ...last, summary: last.summary } : undefined
}
