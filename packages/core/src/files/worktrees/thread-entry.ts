import { serveCalls } from "../../concurrency/thread-entry.ts"

export const url = import.meta.url

const functions = {
  readYaml: async (text: string) => (await import("./read-yaml.ts")).readYaml(text),
  readVersions: async (texts: Record<string, string>) => (await import("./read-versions.ts")).readVersions(texts),
}
export type SetupFunctions = typeof functions

serveCalls(url, functions)
