import { createThread } from "../../concurrency/thread.ts"
import type { SearchedFile, Term } from "./match-texts.ts"
import type { SymbolFunctions } from "./thread-entry.ts"

/** Time limit for one file. Files written by people take less than 0.1 s. */
const WITHIN_MS = 30_000

const call = createThread<SymbolFunctions>(() => import("./thread-entry.ts"), { withinMs: WITHIN_MS })

/** Returns the outline of a file. Undefined if the text crashes the parser or takes too long. */
export const outlineInThread = (path: string, text: string) => call("outlineOf", path, text)

/**
 * Returns the facts about a file, or null if the file has none. Undefined if the text crashes the parser or takes too
 * long.
 */
export const factsInThread = (path: string, text: string) => call("factsOf", path, text)

/** Counts terms in files. Undefined if counting takes too long. */
export const matchTextsInThread = (files: readonly SearchedFile[], terms: readonly Term[]) =>
  call("matchTexts", files, terms)
