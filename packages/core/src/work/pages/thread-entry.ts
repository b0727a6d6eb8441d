import { serveCalls } from "../../concurrency/thread-entry.ts"
import type { FetchedPage } from "./fetch-page.ts"

export const url = import.meta.url

const functions = {
  pageText: async (page: FetchedPage) => (await import("./page-text.ts")).pageText(page),
}
export type PageFunctions = typeof functions

serveCalls(url, functions)
