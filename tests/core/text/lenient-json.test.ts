import { parseLenientJson } from "@switchyard/core/text/lenient-json"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const args = { path: "a.txt", content: 'It\'s "a"\n\tb' }

describe("JSON of a language model", () => {
  it.each<[string, string]>([
    ["a raw line break and a raw tab", '{"path":"a.txt","content":"It\'s \\"a\\"\n\tb"}'],
    ["a raw line break of Windows", '{"path":"a.txt","content":"It\'s \\"a\\"\\n\\tb"\r\n}'],
    ["a trailing comma", '{"path":"a.txt","content":"It\'s \\"a\\"\\n\\tb",}'],
    ["comments", '{"path":"a.txt", // the path\n/* {"x": */ "content":"It\'s \\"a\\"\\n\\tb"}'],
    ["single quotes", `{'path':'a.txt','content':'It\\'s "a"\\n\\tb'}`],
    ["an apostrophe that is escaped", '{"path":"a.txt","content":"It\\\'s \\"a\\"\\n\\tb"}'],
    ["names without quotes", '{path: "a.txt", content : "It\'s \\"a\\"\\n\\tb"}'],
    ["a fence", `\`\`\`json\n${JSON.stringify(args)}\n\`\`\``],
    ["a bracket too many", `${JSON.stringify(args)}}\n`],
    ["an empty object in front", `{}${JSON.stringify(args)}`],
    ["JSON in a string", JSON.stringify(JSON.stringify(args))],
    ["JSON in a string with a raw line break", JSON.stringify('{"path":"a.txt","content":"It\'s \\"a\\"\n\\tb"}')],
  ])("is read with %s", (_, text) => {
    expect(parseLenientJson(text)).toEqual(args)
  })

  it("is read with Python's constants, and keeps them in strings and names", () => {
    const text = "{'None': None, 'a': [True, False, 'True // None,]'], b: undefined}"
    expect(parseLenientJson(text)).toEqual({ None: null, a: [true, false, "True // None,]"], b: null })
  })

  it.each([
    ["a quote that isn't escaped", '{"content":"<a href="x">"}'],
    ["an apostrophe that isn't escaped", "{'content':'it's'}"],
    ["an unknown escape", '{"content":"\\d+"}'],
    ["an escaped line break", '{"content":"docker run \\\n a"}'],
    ["words without quotes", "{content: hello}"],
    ["two values", '{"a":1}{"b":2}'],
    ["words around it", 'Here: {"a":1}'],
    ["a template", "{content: `a`}"],
    ["names of JavaScript's objects", "{a: constructor}"],
  ])("is refused with %s, because its meaning is uncertain", (_, text) => {
    expect(parseLenientJson(text)).toBeUndefined()
  })

  const objects = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" }))

  it("keeps its meaning if it is valid, whatever slip is beside it", () => {
    fc.assert(
      fc.property(objects, fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
        const json = JSON.stringify(value, null, indent)
        const meaning = JSON.parse(json)
        for (const text of [json, `{"a":${json},}`, `{a:${json}}`, `{'a': ${json}}`, `{"a\t":"\n","a":${json}}`]) {
          const read = parseLenientJson(text)
          if (text === json) expect(read).toEqual(meaning)
          else expect(read).toHaveProperty("a", meaning)
        }
      }),
    )
  })

  it("is never completed if it breaks off", () => {
    fc.assert(
      fc.property(objects, fc.constantFrom('"', "'"), fc.nat(), (value, quote, cut) => {
        const text = `{${quote}a${quote}: [${quote}x\n${quote}, ${JSON.stringify(value)},]}`
        expect(parseLenientJson(text)).toHaveProperty("a")
        expect(parseLenientJson(text.slice(0, cut % text.length))).toBeUndefined()
      }),
    )
  })
})
