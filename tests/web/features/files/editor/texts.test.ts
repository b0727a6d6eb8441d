import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  endingName,
  lineEndingOf,
  withEnding,
  withMark,
} from "../../../../../packages/web/src/features/files/buffer/line-endings.ts"
import {
  coarseDiff,
  isEdit,
  openDocument,
  replaceText,
  textOf,
} from "../../../../../packages/web/src/features/files/editor/editor-document.ts"
import { languageOf } from "../../../../../packages/web/src/features/files/editor/language.ts"
import { minimalEdits } from "../../../../../packages/web/src/features/files/editor/minimal-edits.ts"

const texts = fc
  .array(fc.constantFrom("\r", "\n", "\r\n", "a", "ü", "😀", "\u2028", " "))
  .map((parts) => parts.join(""))

describe("an open document", () => {
  it("gives back the text that it was opened with, byte for byte", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(textOf(openDocument(text))).toBe(text)
      }),
    )
  })

  it("is any other text once that was put in its place, however the differences are found", () => {
    fc.assert(
      fc.property(texts, texts, fc.constantFrom(coarseDiff, minimalEdits), (before, after, differences) => {
        const state = openDocument(before)
        expect(textOf(state.update(replaceText(state, after, differences)).state)).toBe(after)
      }),
    )
  })

  it("ends a new line as the others are ended", () => {
    const state = openDocument("one\r\ntwo")
    const typed = state.update(state.replaceSelection(state.toText(`zero${state.lineBreak}`)))
    expect(textOf(typed.state)).toBe("zero\r\none\r\ntwo")
  })

  it("keeps the caret by its word when what stands around that is replaced", () => {
    const state = openDocument("first\nsecond\nthird\n").update({ selection: { anchor: 8 } }).state
    const after = state.update(replaceText(state, "zero\nfirst\nsecond\nlast\n", minimalEdits)).state
    expect(after.doc.sliceString(after.selection.main.head)).toBe("cond\nlast\n")
  })

  it("tells what was typed from what was put there", () => {
    const state = openDocument("one")
    expect(isEdit([state.update(replaceText(state, "two", coarseDiff))])).toBe(false)
    expect(isEdit([state.update({ selection: { anchor: 1 } })])).toBe(false)
    expect(isEdit([state.update({ changes: { from: 0, insert: "x" } })])).toBe(true)
  })
})

describe("line endings", () => {
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
  it("leave alone what stands between two changes", () => {
    const before = "first\nkept one\nkept two\nlast\n"
    const after = "changed\nkept one\nkept two\nend\n"
    const from = before.indexOf("kept one")
    const to = before.indexOf("last")
    expect(minimalEdits(before, after).every((one) => one.to <= from || one.from >= to)).toBe(true)
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
