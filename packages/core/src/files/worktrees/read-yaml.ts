import { parseDocument } from "yaml"

/**
 * Reads a YAML document, with all scalars as text, so that `python: 3.10` isn't the number 3.1. Returns a fault if it
 * isn't valid. Refuses aliases, because a few of them can expand to gigabytes.
 */
export function readYaml(text: string): { value: unknown } | { fault: string } {
  // With the level `silent`, a second document would be ignored.
  const document = parseDocument(text, { schema: "failsafe", logLevel: "error", prettyErrors: false })
  const [fault] = [...document.errors, ...document.warnings]
  // After a semicolon, some messages advise programmers.
  if (fault) return { fault: `It isn't valid YAML: ${fault.message.split(";")[0]}` }
  try {
    return { value: document.toJS({ maxAliasCount: 0 }) }
  } catch {
    return { fault: "It must not contain YAML aliases (`*name`)." }
  }
}
