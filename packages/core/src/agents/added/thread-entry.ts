import { serveCalls } from "../../concurrency/thread-entry.ts"

export const url = import.meta.url

const functions = {
  jsonOfYaml: async (text: string) => (await import("./agents-yaml.ts")).jsonOfYaml(text),
}
export type AgentsFunctions = typeof functions

serveCalls(url, functions)
