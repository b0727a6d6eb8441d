import { serveCalls } from "../../thread-entry.ts"
import type { CheckedFile } from "./check-file.ts"

export const url = import.meta.url

const functions = {
  readFile: async (file: CheckedFile) => (await import("./check-file.ts")).readFile(file),
}
export type CheckFunctions = typeof functions

serveCalls(url, functions)
