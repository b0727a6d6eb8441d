import MiniSearch from "minisearch"
import type * as z from "zod"
import type { MemorySections } from "../request-schema.ts"

/** Part of a note, from one heading to the next. */
export type MemorySection = z.infer<typeof MemorySections>["sections"][number]

/**
 * Notes below this total size are returned in full, because reading them costs less than a search that misses
 * something.
 */
const WHOLE_BYTES = 20_000
const MAX_SECTIONS = 10

/**
 * Returns the sections of a team's notes that match a query, best first. If the notes are small, returns all sections
 * in order.
 */
export function searchMemory(notes: readonly { path: string; text: string }[], query: string): MemorySection[] {
  const sections = notes.flatMap(sectionsOf)
  const size = notes.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  return size < WHOLE_BYTES ? sections : bestOf(sections, query)
}

/** Ranks sections with BM25. Words in headings and paths count more. */
function bestOf(sections: MemorySection[], query: string): MemorySection[] {
  const index = new MiniSearch({ fields: ["path", "heading", "text"], searchOptions: { prefix: true } })
  index.addAll(sections.map((section, id) => ({ id, ...section })))
  const found = index.search(query, { boost: { heading: 2, path: 1.5 } })
  return found.slice(0, MAX_SECTIONS).flatMap(({ id }) => sections[id] ?? [])
}

const HEADING = /^#{1,6} /

function sectionsOf({ path, text }: { path: string; text: string }): MemorySection[] {
  const sections: MemorySection[] = []
  let current: MemorySection = { path, heading: "", text: "" }
  for (const line of text.split("\n")) {
    const [marks] = HEADING.exec(line) ?? []
    if (marks !== undefined) {
      sections.push(current)
      current = { path, heading: line.slice(marks.length).trim(), text: "" }
    }
    current.text += `${line}\n`
  }
  return [...sections, current].filter((section) => section.text.trim() !== "")
}
