import { EditorState, Text } from "@codemirror/state"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { languageOf } from "../../../../packages/web/src/features/files/language.ts"
import {
  endingName,
  lineEndingOf,
  withEnding,
  withMark,
} from "../../../../packages/web/src/features/files/line-endings.ts"
import { replacementsFor } from "../../../../packages/web/src/features/files/replacement.ts"

const texts = fc
  .array(fc.constantFrom("\r", "\n", "\r\n", "a", "ü", "😀", "\u2028", " "))
  .map((parts) => parts.join(""))

describe("line endings", () => {
  it("cut a text into lines so that they make the same text again", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const ending = lineEndingOf(text)
        const doc = Text.of(text.split(ending))
        const state = EditorState.create({ doc, extensions: EditorState.lineSeparator.of(ending) })
        expect(state.sliceDoc()).toBe(text)
      }),
    )
  })

  it.each([
    ["", "\n", null],
    ["one\ntwo", "\n", null],
    ["one\r\ntwo\r\n", "\r\n", "CRLF"],
    ["one\rtwo", "\r", "CR"],
    ["one\r\ntwo\n", "\n", "mixed line endings"],
    ["one\r\r\n", "\n", "mixed line endings"],
  ])("of %j are %j", (text, ending, name) => {
    expect(lineEndingOf(text)).toBe(ending)
    expect(endingName(text)).toBe(name)
  })

  it("of pasted text become those of the file", () => {
    expect(withEnding("a\r\nb\nc\rd", "\r\n")).toBe("a\r\nb\r\nc\r\nd")
    expect(withEnding("a\r\nb\nc\rd", "\n")).toBe("a\nb\nc\nd")
  })
})

describe("a byte order mark", () => {
  it("is put back where the size says that there was one", () => {
    const bytes = new TextEncoder().encode("\uFEFFgrün\n")
    const read = new TextDecoder().decode(bytes)
    expect(new TextEncoder().encode(withMark(read, bytes.length))).toEqual(bytes)
  })

  it("isn't made up", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(withMark(text, new TextEncoder().encode(text).length)).toBe(text)
      }),
    )
  })
})

describe("replacements", () => {
  it("make one text of the other", () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const state = EditorState.create({ doc: Text.of(before.split("\n")) })
        const changes = replacementsFor(before, after).map((one) => ({
          ...one,
          insert: Text.of(one.insert.split("\n")),
        }))
        expect(state.update({ changes }).newDoc.toString()).toBe(after)
      }),
    )
  })

  it("leave alone what stands between two changes", () => {
    const before = "first\nkept one\nkept two\nlast\n"
    const after = "changed\nkept one\nkept two\nend\n"
    const from = before.indexOf("kept one")
    const to = before.indexOf("last")
    expect(replacementsFor(before, after).every((one) => one.to <= from || one.from >= to)).toBe(true)
  })
})

describe("languages", () => {
  it.each([
    ["app.js", "javascript"],
    ["src/App.TSX", "tsx"],
    ["types.d.ts", "typescript"],
    ["package.json", "json"],
    ["a/b.css", "css"],
    ["index.html", "html"],
    ["README.md", "markdown"],
    ["main.py", "python"],
    ["Makefile", null],
    ["notes.txt", null],
    ["src.js/LICENSE", null],
    [".json", "json"],
    ["a.constructor", null],
  ])("%s is %s", (path, language) => {
    expect(languageOf(path)).toBe(language)
  })
})
