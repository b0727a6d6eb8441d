import { balancedObjects } from "@switchyard/core/agents/conversations/extract-json"
import { describe, expect, it } from "vitest"

describe("the objects in a text", () => {
  it("are found between prose, in strings with braces, and inside of what is no JSON", () => {
    expect(balancedObjects('So {"a": "}{"} and { not {"b": 1} json }.')).toEqual([
      '{"a": "}{"}',
      '{ not {"b": 1} json }',
      '{"b": 1}',
    ])
  })

  it("are looked for in time that grows with the text, however many braces never close", () => {
    for (const filler of ["{", '{"', "{}{", '{"a":']) {
      expect(balancedObjects(`{"first": 1} ${filler.repeat(100_000)}`)[0]).toBe('{"first": 1}')
    }
  })
})
