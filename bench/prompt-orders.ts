import { factsOf } from "@switchyard/core/files/symbols/file-facts"
import { referencesOf } from "@switchyard/core/files/symbols/references"
import type { FileFacts } from "@switchyard/core/files/symbols/schema"
import { symbolMap } from "@switchyard/core/files/symbols/symbol-map"
import type { ModelRequest } from "@switchyard/core/models/provider"
import { systemPrompt } from "@switchyard/core/work/chat/prompt/prompts"
import { mapSection, treeSection, workingFilesSection } from "@switchyard/core/work/context/sections"
import type { Block } from "./cache-counter.ts"

/** The parts of one turn's prompt, independent of their order. */
export interface TurnParts {
  maps: Maps
  files: ReadonlyMap<string, string>
  selected: readonly string[]
  history: readonly { content: string }[]
  question: string
}

const MAP_CHARS = 100_000
/** Size of Aider's map, 1,024 tokens, while files are in its chat. */
const SMALL_MAP_CHARS = 4096

/** Returns the product's order, from its request. */
export function ourOrder({ system, messages, cacheAfter = [] }: ModelRequest): Block[] {
  const texts = [system, ...messages.map(({ content }) => String(content))]
  return texts.map((text, at) => ({ text, isMarked: cacheAfter.includes(at - 1) }))
}

/** Returns the current state of the files first, then the conversation. Marks the end of each. */
export async function naiveOrder(parts: TurnParts): Promise<Block[]> {
  const map = (await parts.maps(parts.files, "editor")).slice(0, MAP_CHARS)
  const files = [mapSection(map), treeSection([...parts.files.keys()]), workingFilesSection(shownFiles(parts))]
  return [
    { text: systemPrompt(undefined), isMarked: true },
    { text: files.join("\n\n"), isMarked: true },
    { text: "Ok.", isMarked: false },
    ...parts.history.map(({ content }) => ({ text: content, isMarked: false })),
    { text: parts.question, isMarked: true },
  ]
}

/**
 * Returns Aider's order: system prompt, a small map without the chat's files, conversation, those files, question.
 * Marks the first two and the files.
 */
export async function aidersOrder(parts: TurnParts): Promise<Block[]> {
  const others = new Map([...parts.files].filter(([path]) => !parts.selected.includes(path)))
  const map = (await parts.maps(others, "model")).slice(0, SMALL_MAP_CHARS)
  return [
    { text: systemPrompt(undefined), isMarked: true },
    { text: mapSection(map), isMarked: false },
    { text: "Ok.", isMarked: true },
    ...parts.history.map(({ content }) => ({ text: content, isMarked: false })),
    { text: workingFilesSection(shownFiles(parts)), isMarked: false },
    { text: "Ok.", isMarked: true },
    { text: parts.question, isMarked: false },
  ]
}

/** Returns the map of some files. */
export type Maps = (files: ReadonlyMap<string, string>, variant: "model" | "editor") => Promise<string>

/** Creates a function that maps versions of a repository. A file is parsed again only if it has changed. */
export function createMaps(): Maps {
  const known = new Map<string, { text: string; facts: FileFacts | undefined }>()
  const factsAt = async (path: string, text: string) => {
    const last = known.get(path)
    if (last?.text === text) return last.facts
    const facts = await factsOf(path, text)
    known.set(path, { text, facts })
    return facts
  }
  return async (files, variant) => {
    const facts = new Map<string, FileFacts>()
    for (const [path, text] of files) {
      const found = await factsAt(path, text)
      if (found) facts.set(path, found)
    }
    return symbolMap(facts, referencesOf(facts, files.keys()), variant)
  }
}

function shownFiles({ files, selected }: TurnParts) {
  return selected.map((path) => ({ path, text: files.get(path) ?? "" }))
}
