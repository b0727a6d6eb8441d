import { parse } from "yaml"

/** Returns the JSON of a YAML text that lists agents, or why the text isn't valid. Aliases aren't allowed. */
export function jsonOfYaml(text: string): { json: string } | { fault: string } {
  try {
    return { json: JSON.stringify(parse(text, { maxAliasCount: 0 }) ?? {}) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) }
  }
}
