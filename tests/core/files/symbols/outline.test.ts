import { readdirSync, readFileSync } from "node:fs"
import { MAX_PARSED_CHARS } from "@switchyard/core/files/symbols/grammars"
import { languageOf } from "@switchyard/core/files/symbols/languages"
import { outlineOf } from "@switchyard/core/files/symbols/outline"
import { outlineText } from "@switchyard/core/files/symbols/outline-text"
import type { FileSymbol, Outline } from "@switchyard/core/files/symbols/schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../../../settings.ts"

const FOLDER = new URL("../../../fixtures/outlines/", import.meta.url)
const names = readdirSync(FOLDER).flatMap((file) => (file.endsWith(".txt") ? [file.slice(0, -4)] : []))
const sourceOf = (name: string) => readFileSync(new URL(`${name}.txt`, FOLDER), "utf8")

/** Returns all symbols of an outline, one per line. */
function wholeText({ symbols }: Outline): string {
  const describe = ({ line, kind, name, signature }: Omit<FileSymbol, "members">) =>
    `${line} ${kind} ${name}: ${signature}\n`
  return symbols.map((symbol) => describe(symbol) + symbol.members.map((one) => `  ${describe(one)}`).join("")).join("")
}

const HOSTILE = [
  ...["(", "{", "<a>", "`${", "\n ", "/*", "#if a\n", "namespace a { ", "export ", "*", "(function(){", "class A { "],
  ...['"', '"a":', "- ", "a:\n", "# a\n", "```\n", "[", "a.", "\\\n", "\0", "😀", "\u2028", "id=", "type A = "],
]

describe("an outline", () => {
  it.each(names)("has the declarations of %s, their kinds and lines", async (name) => {
    expect(wholeText(await outlineOf(`src/${name}`, sourceOf(name)))).toBe(
      readFileSync(new URL(`${name}.outline`, FOLDER), "utf8"),
    )
  })

  it("is there for every language that has a grammar, and for some that need none", () => {
    expect(new Set(names.map(languageOf)).size).toBe(18)
    expect(["a.png", "Makefile", "a.constructor", "md", ""].map(languageOf)).toEqual([
      ...["a.png", "Makefile", "a.constructor", "", ""].map(() => undefined).slice(0, 3),
      ...["markdown", undefined],
    ])
  })

  it("is read with a line for each declaration, with their members or without", async () => {
    const outline = await outlineOf("a.py", "class A:\n    def b(self):\n        pass\n\ndef c(): pass\n")
    expect(outlineText(outline, { members: true })).toBe("1: class A\n  2: def b(self)\n5: def c()")
    expect(outlineText(outline, { members: false })).toBe("1: class A\n5: def c()")
  })

  it("has what can be read of a file with errors", async () => {
    const text = "export function first(a) {\n  return a +\n}\n\n<<<<<<< ours\nexport class Second {\n"
    const { symbols } = await outlineOf("a.js", text)
    expect(symbols.map(({ name, line }) => [name, line])).toContainEqual(["first", 1])
    expect(await outlineOf("a.py", "%$§ this is no Python\n")).toEqual({ symbols: [], isCut: false })
  })

  it("is empty for what is minified or of no known language", async () => {
    expect(await outlineOf("a.js", `${"function a() {}".repeat(100)}\n`)).toEqual({ symbols: [], isCut: false })
    expect(await outlineOf("a.txt", "function a() {}\n")).toEqual({ symbols: [], isCut: false })
  })

  it("is that of the first part of a long file, and of a bounded size", async () => {
    const line = "export function name() {}\n"
    const many = await outlineOf("a.ts", line.repeat(1000))
    expect(many).toMatchObject({ isCut: true, symbols: { length: 300 } })
    expect(outlineText(many, { members: true })).toMatch(/\n\[There is more\.\]$/)
    const members = await outlineOf("a.ts", `class A {\n${"  name() {}\n".repeat(1000)}}\n${line}`)
    expect(members).toMatchObject({ isCut: true, symbols: [{ members: { length: 299 } }] })
    const long = await outlineOf("a.ts", `${line}${"// nothing\n".repeat(MAX_PARSED_CHARS / 11)}${line}`)
    expect(long).toMatchObject({ isCut: true, symbols: [{ line: 1 }] })
    expect(long.symbols).toHaveLength(1)
    const { symbols } = await outlineOf("a.ts", `export function f(${"a: number,\n".repeat(1000)}) {}\n`)
    expect(symbols[0]?.signature).toHaveLength(161)
  })

  it("looks into what stands around declarations, but not without end", async () => {
    const { symbols } = await outlineOf("a.cpp", `${"namespace a {\n".repeat(500)}int f();\n${"}\n".repeat(500)}`)
    expect(symbols).toHaveLength(13)
    const wrapped = await outlineOf("a.js", ";(() => {\n  const a = 1\n})()\n;(function () { class B {} }())\n")
    expect(wrapped.symbols.map(({ name }) => name)).toEqual(["a", "B"])
  })

  it("takes any text of any language", async () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 100 }),
      fc.constantFrom(...HOSTILE),
      fc
        .tuple(fc.constantFrom(...HOSTILE), fc.integer({ min: 1, max: 900 }))
        .map(([text, times]) => text.repeat(times)),
      fc.constantFrom(...names).map((name) => sourceOf(name).slice(0, 400)),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.array(piece, { maxLength: 4 }), async (name, pieces) => {
        const text = pieces.join("")
        const { symbols } = await outlineOf(name, text)
        const all = symbols.flatMap(({ members, ...own }) => [own, ...members])
        expect(all.length).toBeLessThanOrEqual(300)
        for (const { line, signature, name } of all) {
          expect(line).toBeLessThanOrEqual(text.split("\n").length)
          expect(signature.length).toBeLessThanOrEqual(161)
          expect(`${name}${signature}`).not.toMatch(/[\n\r]/)
        }
      }),
      { numRuns: cases({ usual: 60, deep: 3000 }) },
    )
  })

  it.each(names)("takes texts that are made to keep a reader of %s busy", async (name) => {
    for (const piece of HOSTILE) await outlineOf(name, piece.repeat(4000 / piece.length))
    expect((await outlineOf(name, sourceOf(name))).symbols.length).toBeGreaterThan(1)
  })
})
