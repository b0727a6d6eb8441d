import { serveCalls } from "../../concurrency/thread-entry.ts"

export const url = import.meta.url

const functions = {
  outlineOf: async (path: string, text: string) => (await import("./outline.ts")).outlineOf(path, text),
  factsOf: async (path: string, text: string) => (await (await import("./file-facts.ts")).factsOf(path, text)) ?? null,
}
export type SymbolFunctions = typeof functions

serveCalls(url, functions)
