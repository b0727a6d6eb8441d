import { toOutputSchema } from "@switchyard/core/models/json-schema"
import { describe, expect, it } from "vitest"
import * as z from "zod"

describe("toOutputSchema", () => {
  it("closes every object, the loose ones too", () => {
    const step = z.looseObject({ path: z.string() })
    const { schema, strict } = toOutputSchema(z.object({ steps: z.array(step) }))
    expect(schema).toEqual({
      type: "object",
      properties: {
        steps: {
          type: "array",
          items: {
            type: "object",
            properties: { path: { type: "string" } },
            required: ["path"],
            additionalProperties: false,
          },
        },
      },
      required: ["steps"],
      additionalProperties: false,
    })
    expect(strict).toBe(true)
  })

  it("moves limits that decoders refuse into the description", () => {
    const name = z.string().min(1).max(9).describe("A name.")
    const { schema } = toOutputSchema(z.object({ name }))
    expect(schema.properties).toEqual({ name: { type: "string", description: "A name. (minLength: 1, maxLength: 9)" } })
  })

  it("keeps minimum lengths for servers that enforce them, and no other limits", () => {
    const names = z.array(z.string().min(1).max(9)).min(2).max(3)
    const { schema } = toOutputSchema(z.object({ names }), { keepsMinimums: true })
    expect(schema.properties).toEqual({
      names: {
        ...{ type: "array", minItems: 2, description: "(maxItems: 3)" },
        items: { type: "string", minLength: 1, description: "(maxLength: 9)" },
      },
    })
  })

  it("keeps the name of a property that is also a keyword", () => {
    const { schema } = toOutputSchema(z.object({ format: z.string(), default: z.string() }))
    expect(Object.keys(schema.properties as object)).toEqual(["format", "default"])
  })

  it("is not strict with optional keys, which would have to be invented", () => {
    expect(toOutputSchema(z.object({ a: z.string().optional() }))).toMatchObject({ closed: true, strict: false })
    expect(toOutputSchema(z.object({ a: z.string().default("x") }))).toMatchObject({ closed: true, strict: false })
    expect(toOutputSchema(z.object({ a: z.string().nullable() }))).toMatchObject({ closed: true, strict: true })
  })

  it("says that free keys can't be closed", () => {
    const { schema, closed, strict } = toOutputSchema(z.object({ env: z.record(z.string(), z.string()) }))
    expect({ closed, strict }).toEqual({ closed: false, strict: false })
    expect(schema).toMatchObject({ properties: { env: { additionalProperties: { type: "string" } } } })
  })

  it("turns alternatives into the form that decoders know", () => {
    const shape = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a") }),
      z.object({ kind: z.literal("b"), size: z.number() }),
    ])
    const { schema, strict } = toOutputSchema(z.object({ shape }))
    expect(JSON.stringify(schema)).not.toContain("oneOf")
    expect(schema).toMatchObject({ properties: { shape: { anyOf: [{ additionalProperties: false }, {}] } } })
    expect(strict).toBe(true)
  })
})
