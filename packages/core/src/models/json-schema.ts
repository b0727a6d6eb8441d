import * as z from "zod"

export type JsonSchema = Record<string, unknown>

interface OutputSchema {
  schema: JsonSchema
  /** True if no object accepts additional properties. */
  closed: boolean
  /** True if the schema is closed and every key is required. Constrained decoding demands this. */
  strict: boolean
}

/** Returns the JSON Schema that a model's output must have before parsing, without `$schema`. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" }) as JsonSchema
  return rest
}

/**
 * Converts a schema to the subset shared by all providers' structured outputs. Closes all objects, which only narrows
 * the schema. Moves limits that decoders reject (`minLength`, `pattern`, …) to the description, which only widens the
 * schema, so the caller's schema still parses the answer. `keepsMinimums` leaves minimum lengths in place, for servers
 * that enforce them: otherwise, weak models answer with empty lists and texts.
 */
export function toOutputSchema(schema: z.ZodType, { keepsMinimums = false } = {}): OutputSchema {
  const found = { record: false, optional: false, intersection: false, keepsMinimums }
  const closed = close(toJsonSchema(schema), found)
  return { schema: closed, closed: !found.record, strict: !found.record && !found.optional && !found.intersection }
}

const limits = [
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
  "default",
]

const minimums = ["minLength", "minItems"]

interface Found {
  record: boolean
  optional: boolean
  intersection: boolean
  keepsMinimums: boolean
}

function close(node: unknown, found: Found): JsonSchema {
  const { oneOf, ...source } = node as JsonSchema
  const result: JsonSchema = {}
  const notes: string[] = []
  const inner = (child: unknown) => close(child, found)
  for (const [key, value] of Object.entries(oneOf ? { ...source, anyOf: oneOf } : source)) {
    const isKept = found.keepsMinimums && minimums.includes(key)
    if (limits.includes(key) && !isKept) notes.push(`${key}: ${JSON.stringify(value)}`)
    else if (key === "properties" || key === "$defs") result[key] = mapValues(value as JsonSchema, inner)
    else if (key === "anyOf" || key === "allOf" || key === "prefixItems") result[key] = (value as unknown[]).map(inner)
    else if (key === "items") result[key] = inner(value)
    else result[key] = value
  }
  if (result.allOf) found.intersection = true
  if (result.type === "object") closeObject(result, found)
  if (notes.length > 0) result.description = [result.description, `(${notes.join(", ")})`].filter(Boolean).join(" ")
  return result
}

function closeObject(node: JsonSchema, found: { record: boolean; optional: boolean }) {
  const keys = Object.keys((node.properties as JsonSchema | undefined) ?? {})
  const required = (node.required as string[] | undefined) ?? []
  if (keys.length === 0 && node.additionalProperties) {
    found.record = true
    return
  }
  if (required.length < keys.length) found.optional = true
  Object.assign(node, { properties: node.properties ?? {}, additionalProperties: false })
}

function mapValues(source: JsonSchema, change: (value: unknown) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(source).map(([key, value]) => [key, change(value)]))
}
