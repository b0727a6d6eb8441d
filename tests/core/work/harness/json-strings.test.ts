import { createJsonStringDecoder, type StringPiece } from "@switchyard/core/work/harness/json-strings"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("a decoder of JSON strings", () => {
  it("decodes the same texts however the document is split, and each prefix to the beginning of them", () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 60 })
    const value = fc.jsonValue({ stringUnit: "binary", maxDepth: 3 })
    fc.assert(
      fc.property(value, cuts, fc.constantFrom(undefined, 2), fc.boolean(), (value, cuts, indent, escaped) => {
        const json = escaped ? asciiOf(JSON.stringify(value, null, indent)) : JSON.stringify(value, null, indent)
        const decode = createJsonStringDecoder()
        const texts = new Map<string, string>()
        const ended: string[] = []
        const expected = new Map(stringsIn(value))
        for (const chunk of split(json, cuts)) {
          for (const { path, text, isLast } of decode(chunk)) {
            const key = JSON.stringify(path)
            texts.set(key, (texts.get(key) ?? "") + text)
            expect(expected.get(key)?.startsWith(texts.get(key) ?? "")).toBe(true)
            if (isLast) ended.push(key)
          }
        }
        expect(texts).toEqual(expected)
        expect(ended).toEqual([...expected.keys()])
      }),
    )
  })

  it("gives each part at once, and never half a character", () => {
    const decode = createJsonStringDecoder()
    const shown = (chunk: string) => decode(chunk).map(({ text }) => text)
    expect(shown('{"content":"a')).toEqual(["a"])
    expect(shown("b\\")).toEqual(["b"])
    expect(shown("n\\ud83c")).toEqual(["\n"])
    expect(shown("\\udf")).toEqual([])
    expect(shown('0d"')).toEqual(["🌍"])
  })

  it.each(["]]}", '{"a":"\\u00zz', '"a" "b" nonsense', '{{"', '\\"'])("takes %j without an error", (text) => {
    const decode = createJsonStringDecoder()
    expect(() => decode(text)).not.toThrow()
  })
})

function split(text: string, lengths: number[]): string[] {
  const chunks: string[] = []
  let from = 0
  for (const length of lengths) {
    chunks.push(text.slice(from, from + length))
    from += length
  }
  return [...chunks, text.slice(from)]
}

/** Escapes every non-ASCII character of a document. */
function asciiOf(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

function* stringsIn(value: unknown, path: StringPiece["path"] = []): Generator<[string, string]> {
  if (typeof value === "string") yield [JSON.stringify(path), value]
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* stringsIn(item, [...path, index])
  else if (value) for (const [key, item] of Object.entries(value)) yield* stringsIn(item, [...path, key])
}
