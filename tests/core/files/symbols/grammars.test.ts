import { MAX_PARSED_CHARS, withTree } from "@switchyard/core/files/symbols/grammars"
import { grammarOf } from "@switchyard/core/files/symbols/languages"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../../../settings.ts"

const SOUND = {
  c: "int class = 1;\n",
  cpp: "template <class T> T f(T x) { return x; }\n",
  csharp: "class A { int F() => 1; }\n",
  css: "a { color: red }\n",
  go: "package main\nfunc main() {}\n",
  html: "<p>one</p>\n",
  java: "class A { int f() { return 1; } }\n",
  javascript: "const a = <p>{1}</p>\n",
  php: "<?php function f() { return 1; }\n",
  python: "def f():\n    return 1\n",
  ruby: "def f\n  1\nend\n",
  rust: "fn f() -> i32 { 1 }\n",
  tsx: "const a: string = <p>{1}</p>\n",
  typescript: "const a: string = <string>b\n",
} as const

const names = Object.keys(SOUND) as (keyof typeof SOUND)[]

/** Texts that cost a parser much more time than their length suggests, or too much memory. */
const HOSTILE = [
  "(",
  "[",
  "{",
  "<a>",
  "a<",
  "`${",
  "\n ",
  "'",
  "if(x)",
  "/*",
  "a b c ) } ] ",
  "a?b:",
  "\0",
  "😀",
  "<<A\n",
]

describe("a grammar", () => {
  it.each(Object.entries(SOUND))("parses %s", async (name, text) => {
    const grammar = name as keyof typeof SOUND
    expect(await withTree(grammar, text, ({ rootNode }) => rootNode.hasError)).toBe(false)
    expect(await withTree(grammar, text, ({ rootNode }) => rootNode.text)).toBe(text)
  })

  it("is found by a file's name", () => {
    expect(["a/b.py", "App.TSX", "x.h", "Gemfile", "b.mjs"].map(grammarOf)).toEqual([
      ...["python", "tsx", "c", "ruby", "javascript"],
    ])
    expect(["a.txt", "py", "", "a/b.py/", "constructor", "a.constructor", "__proto__"].map(grammarOf)).toEqual(
      Array.from({ length: 7 }, () => undefined),
    )
  })

  it("reads characters of two units whole, wherever the library's buffer ends", async () => {
    for (const before of [0, 1, 2, 3, 4, 5]) {
      const text = `${" ".repeat(before)}const A: [char; 2000] = [${"'😀', ".repeat(2000)}];`
      expect(await withTree("rust", text, ({ rootNode }) => rootNode.hasError)).toBe(false)
    }
  })

  it("parses several texts at once, of grammars that are not loaded yet", async () => {
    const all = await Promise.all(names.map((name) => withTree(name, SOUND[name], () => name)))
    expect(all).toEqual(names)
  })

  it("leaves out what is too long or too deep", async () => {
    expect(await withTree("css", " ".repeat(MAX_PARSED_CHARS + 1), () => "parsed")).toBeUndefined()
    expect(await withTree("java", "a<".repeat(1001), () => "parsed")).toBeUndefined()
    expect(await withTree("java", "a<b>".repeat(1001), () => "parsed")).toBe("parsed")
  })

  it("takes any text", async () => {
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.constantFrom(...Object.values(SOUND)))
    const input = fc.tuple(fc.constantFrom(...names), fc.array(text, { maxLength: 3 }))
    await fc.assert(
      fc.asyncProperty(input, async ([name, texts]) => {
        const whole = texts.join("")
        // On a busy machine, parsing may exceed its time limit.
        const end = await withTree(name, whole, ({ rootNode }) => rootNode.endIndex)
        expect([whole.length, undefined]).toContain(end)
      }),
      { numRuns: cases({ usual: 60, deep: 5000 }) },
    )
  })

  it.each(names)("takes texts that are made to keep a parser of %s busy", async (name) => {
    for (const piece of HOSTILE) await withTree(name, piece.repeat(4_000 / piece.length), () => undefined)
    expect(await withTree(name, SOUND[name], ({ rootNode }) => rootNode.hasError)).toBe(false)
  })
})
