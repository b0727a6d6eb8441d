import { serveCalls } from "../../concurrency/thread-entry.ts"
import type { SearchedFile, Term } from "./match-texts.ts"

export const url = import.meta.url

const functions = {
  outlineOf: async (path: string, text: string) => (await import("./outline.ts")).outlineOf(path, text),
  factsOf: async (path: string, text: string) => (await (await import("./file-facts.ts")).factsOf(path, text)) ?? null,
  matchTexts: async (files: readonly SearchedFile[], terms: readonly Term[]) =>
    (await import("./match-texts.ts")).matchTexts(files, terms),
}
export type SymbolFunctions = typeof functions

serveCalls(url, functions)
