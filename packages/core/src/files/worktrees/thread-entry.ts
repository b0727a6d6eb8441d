import { serveCalls } from "../../concurrency/thread-entry.ts"

export const url = import.meta.url

const functions = { readYaml: async (text: string) => (await import("./read-yaml.ts")).readYaml(text) }
export type YamlFunctions = typeof functions

serveCalls(url, functions)
