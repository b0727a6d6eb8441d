import { factsOf } from "@switchyard/core/files/symbols/file-facts"
import { referencesOf } from "@switchyard/core/files/symbols/references"
import type { FileFacts } from "@switchyard/core/files/symbols/schema"
import { symbolMap } from "@switchyard/core/files/symbols/symbol-map"
import type { ModelRequest } from "@switchyard/core/models/provider"
import { systemPrompt } from "@switchyard/core/work/chat/prompt/prompts"
import { mapSection, treeSection, workingFilesSection } from "@switchyard/core/work/context/sections"
import type { Block } from "./cache-counter.ts"

/** The parts of one turn's prompt, in whatever order they are sent. */
export interface TurnParts {
  maps: Maps
  files: ReadonlyMap<string, string>
  selected: readonly string[]
  history: readonly { content: string }[]
  question: string
}

const MAP_CHARS = 100_000
/** Aider's map has 1,024 tokens as long as files are in its chat. */
const SMALL_MAP_CHARS = 4096

/** The order of the product, as its request has it. */
export function ourOrder({ system, messages, cacheAfter = [] }: ModelRequest): Block[] {
  const texts = [system, ...messages.map(({ content }) => String(content))]
  return texts.map((text, at) => ({ text, isMarked: cacheAfter.includes(at - 1) }))
}

/** Everything about the files first, as it is now, then the conversation; marked after the files and at the end. */
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

/** Aider's: system, a small map without the files of the chat, the conversation, those files, the question; marked after the first two and the files. */
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

/** The map of some files. */
export type Maps = (files: ReadonlyMap<string, string>, variant: "model" | "editor") => Promise<string>

/** Maps of a repository's versions, for which each file is parsed once as long as it is the same. */
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
