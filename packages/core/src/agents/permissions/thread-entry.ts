import { serveCalls } from "../../concurrency/thread-entry.ts"

export const url = import.meta.url

const functions = {
  parseCommand: async (text: string) => (await import("./parse-command.ts")).parseCommand(text),
}
export type CommandFunctions = typeof functions

serveCalls(url, functions)
