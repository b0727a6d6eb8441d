import { isNode, LineCounter, parseDocument } from "yaml"

/** A document's value. `lineOf` has the line of each field, keyed by the field's path as JSON. */
export type ReadYaml = { value: unknown; lineOf: Record<string, number> } | { fault: string }

/**
 * Reads a YAML document, with all scalars as text, so that `python: 3.10` isn't the number 3.1. Returns a fault if it
 * isn't valid. Refuses aliases, because a few of them can expand to gigabytes.
 */
export function readYaml(text: string): ReadYaml {
  const lineCounter = new LineCounter()
  // With the level `silent`, a second document would be ignored.
  const settings = { schema: "failsafe", logLevel: "error", prettyErrors: false, lineCounter } as const
  const document = parseDocument(text, settings)
  const [fault] = [...document.errors, ...document.warnings]
  // After a semicolon, some messages advise programmers.
  if (fault) {
    const { line } = lineCounter.linePos(fault.pos[0])
    return { fault: `Line ${line} isn't valid YAML: ${fault.message.split(";")[0]}` }
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: 0 })
    const lineOf: Record<string, number> = {}
    for (const path of pathsIn(value)) {
      const node = document.getIn(path, true)
      const start = isNode(node) ? node.range?.[0] : undefined
      if (start !== undefined) lineOf[JSON.stringify(path)] = lineCounter.linePos(start).line
    }
    return { value, lineOf }
  } catch {
    return { fault: "It must not contain YAML aliases (`*name`)." }
  }
}

/** Maximum depth of a path. No field of these documents is deeper. */
const MAX_DEPTH = 4

/** Returns the paths of all fields and list items. */
function* pathsIn(value: unknown, at: (string | number)[] = []): Generator<(string | number)[]> {
  if (typeof value !== "object" || value === null || at.length === MAX_DEPTH) return
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [key, inner] of entries) {
    const path = [...at, key]
    yield path
    yield* pathsIn(inner, path)
  }
}
