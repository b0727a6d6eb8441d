import { serveCalls } from "../../concurrency/thread-entry.ts"
import type { CliId } from "../clis/clis.ts"

export const url = import.meta.url

const functions = {
  readSetup: async (home: string, cli: CliId) => (await import("./read-setup.ts")).readSetup(home, cli),
}
export type SetupFunctions = typeof functions

serveCalls(url, functions)
