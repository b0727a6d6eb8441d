import { trimWhere } from "../../text/trim.ts"
import type { Progress } from "./schema.ts"

/** Example in the prompt. An agent that only repeats it isn't reporting progress. */
export const EXAMPLE_PROGRESS = "what you found out or finished"

const FIELDS = { progress: "summary", location: "location", next: "next_step" } as const

/** Finds the last progress note in an agent's text: a line that starts with "Progress:", and the lines after it. */
export function findProgress(text: string): Progress | undefined {
  const notes: Partial<Progress>[] = []
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":")
    // The field's name may be emphasised, quoted or in a list.
    const name = trimWhere(line.slice(0, Math.max(0, colon)), (char) => /[\s>*_-]/.test(char)).toLowerCase()
    const value = trimWhere(line.slice(colon + 1), (char) => /[\s*_]/.test(char))
    if (!isField(name) || value === "") continue
    if (name === "progress") notes.push({})
    Object.assign(notes.at(-1) ?? {}, { [FIELDS[name]]: value })
  }
  const last = notes.findLast(({ summary }) => summary && !summary.includes(EXAMPLE_PROGRESS))
  return last?.summary ? { ...last, summary: last.summary } : undefined
}

function isField(name: string): name is keyof typeof FIELDS {
  return Object.hasOwn(FIELDS, name)
}
