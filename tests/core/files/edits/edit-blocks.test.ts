import { createAnswerReader, editsIn } from "@switchyard/core/files/edits/answer-edits"
import { createEditBlockParser } from "@switchyard/core/files/edits/edit-blocks"
import { markerSignsFor } from "@switchyard/core/files/edits/edit-markers"
import { mayBePath } from "@switchyard/core/files/edits/edit-paths"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const block = (path: string, old: string, next: string, { signs = 4, indentation = "" } = {}) => {
  const marker = (sign: string, word: string) => `${indentation}${sign.repeat(signs)} ${word}\n`
  return `${path}\n${marker("<", "EDIT")}${old}${marker("=", "REPLACE")}${next}${marker(">", "EDIT END")}`
}

/** Returns an answer's applicable blocks, the paths of its refused blocks, and the number of unreadable blocks. */
function read(answer: string) {
  const { edits, unreadable } = editsIn(answer)
  return {
    blocks: edits.filter(({ problem }) => problem === undefined).map((edit) => edit.block),
    refused: edits.filter(({ problem }) => problem !== undefined).map((edit) => edit.block.path),
    unreadable,
  }
}

const VICTIM = block("src/a.ts", "  return 1\n", "  return 2\n")
const LONGER_VICTIM = block("src/a.ts", "  return 1\n", "  return 2\n", { signs: 6 })
const MEANT = block("b.ts", "p\n", "q\n")
const meant = { path: "b.ts", oldLines: ["p"], newLines: ["q"] }

describe("the edit blocks of an answer", () => {
  it("are found between its sentences, in their order", () => {
    const answer = `I rename it.\n\n${block("src/a.ts", "const a\n", "const b\n")}And I create one:\n\n${block(".env", "", "A=1\n")}Done.`
    const parser = createEditBlockParser()
    parser.push(answer)
    expect(parser.parts()).toEqual([
      { type: "text", text: "I rename it.\n" },
      { type: "edit", isComplete: true, block: { path: "src/a.ts", oldLines: ["const a"], newLines: ["const b"] } },
      { type: "text", text: "And I create one:\n" },
      { type: "edit", isComplete: true, block: { path: ".env", oldLines: [], newLines: ["A=1"] } },
      { type: "text", text: "Done." },
    ])
  })

  it("are the same however the answer is split, inside a marker too", () => {
    const answer = `See and/or this.\r\n${block("a/b.ts", "x\n\n  y\n", "z\n").replaceAll("\n", "\r\n")}\nMakefile\n\`\`\`ts\n\n<<<<<<< EDIT\n======= REPLACE\nall:\n>>>>>>> EDIT END\n\`\`\`\ntail`
    const whole = createEditBlockParser()
    whole.push(answer)
    expect(whole.parts().filter(({ type }) => type === "edit")).toHaveLength(2)
    fc.assert(
      fc.property(fc.array(fc.nat(answer.length), { maxLength: 30 }), (cuts) => {
        const parser = createEditBlockParser()
        const at = [0, ...cuts.sort((a, b) => a - b), answer.length]
        for (const [index, from] of at.entries()) {
          parser.push(answer.slice(from, at[index + 1] ?? from))
          parser.parts()
        }
        expect(parser.parts()).toEqual(whole.parts())
      }),
    )
  })

  it("leave the parts alone that were read before", () => {
    const parser = createEditBlockParser()
    parser.push("a.ts\n<<<< EDIT\nx\n")
    const before = parser.parts()
    const copy = structuredClone(before)
    parser.push("y\n==== REPLACE\nz\n>>>> EDIT END\n>>>> EDIT END\n")
    parser.parts()
    expect(before).toEqual(copy)
  })

  it("are read anew from an answer that begins anew", () => {
    const read = createAnswerReader()
    const answer = (text: string) => read(text, { isGrowing: true })
    answer(`First ${VICTIM}`)
    expect(answer("Sec")).toEqual([{ type: "text", text: "Sec" }])
    expect(answer(`Second\n${MEANT}`).at(-1)).toMatchObject({ type: "edit", block: meant })
  })

  it("show the beginning of a long line while it grows, and all of it in the end", () => {
    const read = createAnswerReader()
    const line = "word ".repeat(2000)
    const shown = [...line].map((_, at) => read(line.slice(0, at + 1), { isGrowing: true }).at(-1))
    const lengths = shown.map((part) => (part?.type === "text" ? part.text.length : 0))
    for (const [at, length] of lengths.entries()) expect(length).toBeGreaterThan(((at + 1) * 7) / 8 - 1)
    expect(new Set(lengths.slice(1000)).size).toBeLessThan(25)
    expect(read(line, { isGrowing: false })).toEqual([{ type: "text", text: line }])
  })

  it("tolerate a blank line or a fence after the path, and a path in quotes", () => {
    for (const path of [
      "`src/a.ts`",
      "src/a.ts\n",
      "src/a.ts\n```ts",
      "src/a.ts\n~~~ts title=x\n",
      "other.ts\nsrc/a.ts",
    ]) {
      expect(read(block(path, "a\n", "b\n")).blocks).toMatchObject([{ path: "src/a.ts" }])
    }
    expect(read(`${block("src/a.ts\n```ts", "a\n", "b\n")}\`\`\`\n\n${MEANT}`).blocks).toHaveLength(2)
  })

  it("are none without a path directly before them", () => {
    for (const line of ["", "the file src/a.ts:", "## Client/Server", "- Done", "src/a.ts\nis edited:", "  src/a.ts"]) {
      expect(read(`${block(line, "a\n", LONGER_VICTIM)}${MEANT}`)).toEqual({
        blocks: [meant],
        refused: [],
        unreadable: 1,
      })
    }
  })

  it("have markers of one length and one indentation: all others are text", () => {
    const others = [
      VICTIM,
      ` ${VICTIM.replaceAll("\n", "\n ")}\n`,
      "==== REPLACE\n",
      "\t>>>>> EDIT END\n",
      "<<<<< EDIT # 1\n",
    ]
    for (const text of others) {
      expect(read(`${block("a.md", "one\n", text, { signs: 5 })}${MEANT}`)).toMatchObject({
        blocks: [{ path: "a.md", oldLines: ["one"] }, meant],
        unreadable: 0,
      })
      expect(read(block("a.md", text, "two\n", { signs: 5 })).blocks[0]?.oldLines).toEqual(
        text.slice(0, -1).split("\n"),
      )
    }
    expect(read(block("a.md", "  x\n", "  y\n", { indentation: "    " })).blocks).toMatchObject([{ oldLines: ["  x"] }])
    expect(read(`a.ts\n<<<< EDIT\nx\n===== REPLACE\ny\n>>>> EDIT END\n\n${MEANT}\n${MEANT}`).blocks).toEqual([meant])
  })

  it("create files without the indentation that their markers have, too", () => {
    const indentation = "  "
    const created = (text: string) => read(block("a.py", "", text, { indentation })).blocks[0]?.newLines
    expect(created("  def a():\n\n    pass\n")).toEqual(["def a():", "", "  pass"])
    expect(created("def a():\n  pass\n")).toEqual(["def a():", "  pass"])
  })

  it.each([
    ["quotes another block", block("docs/how.md", "", `# How\n\n${VICTIM}\nEnd.\n`)],
    ["quotes a start", block("docs/how.md", "", "src/a.ts\n<<<< EDIT\n")],
    ["quotes an end", block("docs/how.md", "", `It ends so:\n>>>> EDIT END\n${VICTIM}`)],
    ["quotes an end, with longer markers after it", block("docs/how.md", "", `>>>> EDIT END\n${LONGER_VICTIM}`)],
    ["quotes an end in a fence", block("docs/how.md", "", "```\n>>>> EDIT END\n```\n")],
    ["quotes an end and begins thoughts", block("docs/how.md", "", ">>>> EDIT END\n<think>\n")],
    ["has two separators", block("docs/how.md", "one\n", "==== REPLACE\ntwo\n")],
    ["replaces a separator", block("docs/how.md", "==== REPLACE\n", "two\n")],
    ["replaces an end", block("docs/how.md", ">>>> EDIT END\n", "two\n")],
    ["replaces a start", block("docs/how.md", "<<<< EDIT\n", "two\n")],
    [
      "replaces the end of one block and the start of the next",
      block("docs/how.md", "x\n>>>> EDIT END\n\nsrc/a.ts\n<<<< EDIT\n  return 1\n", "y\n"),
    ],
    ["has no separator", "docs/how.md\n<<<< EDIT\none\n>>>> EDIT END\n"],
    ["has no end", "docs/how.md\n<<<< EDIT\none\n==== REPLACE\ntwo\n"],
    ["has no end before the next", `docs/how.md\n<<<< EDIT\none\n==== REPLACE\ntwo\n\n${VICTIM}`],
  ])("are refused if one %s, and so is what it may have in it", (_, text) => {
    const { blocks, refused } = read(`${text}\nThat is all.`)
    expect(blocks).toEqual([])
    expect(refused[0]).toBe("docs/how.md")
    for (let end = 0; end < text.length; end++) {
      const cut = read(text.slice(0, end)).blocks
      // In a cut text, a quoted end marker looks the same as the block's own.
      if (!text.slice(0, end).includes(">>>> EDIT END")) expect(cut).toEqual([])
    }
  })

  it("goes on after a block whose end is uncertain", () => {
    const answer = `${block("docs/how.md", "", `# How\n\n${VICTIM}\nEnd.\n`)}\n${MEANT}`
    expect(read(answer)).toEqual({ blocks: [meant], refused: ["docs/how.md"], unreadable: 0 })
    expect(editsIn(answer).edits[0]?.problem).toContain("longer markers")
  })

  it("take a cut last line for no marker", () => {
    const answer = "a.md\n<<<< EDIT\n==== REPLACE\nIt ends with\n>>>> EDIT END"
    expect(editsIn(answer).edits).toMatchObject([{ block: { path: "a.md" } }])
    expect(editsIn(answer, { isCut: true }).edits[0]?.problem).toContain("no end marker")
  })

  it("fail if the answer is cut outside of a block, which may be inside one that quotes its own end", () => {
    const quoting = block("docs/how.md", "", `It ends with\n>>>> EDIT END\nand goes on.\n\n${VICTIM}\nThe rest.\n`)
    for (const end of quoting.matchAll(/>>>> EDIT END\n(?:.*\n)*?(?=src|The rest|\n>>>>)/g)) {
      const { edits } = editsIn(quoting.slice(0, end.index + end[0].length), { isCut: true })
      expect(edits.map(({ problem }) => problem)).not.toContain(undefined)
      expect(edits).not.toEqual([])
    }
    expect(editsIn(`${MEANT}So\n`, { isCut: true }).edits).toMatchObject([{ problem: expect.stringContaining("cut") }])
    expect(editsIn(`${MEANT}So\n`).edits).toEqual([{ block: meant }])
    const next = editsIn(`${MEANT}\n${VICTIM.slice(0, 30)}`, { isCut: true }).edits
    expect(next).toMatchObject([{ block: meant }, { problem: expect.stringContaining("no end marker") }])
    expect(next[0]).not.toHaveProperty("problem")
  })

  it.each([
    ["a fence", `\`\`\`\n${VICTIM}\`\`\`\n`],
    ["a fence with a language", `\`\`\`text title="x"\n${VICTIM}\`\`\`\n`],
    ["a fence of tildes", `~~~~\n\`\`\`\n${VICTIM}~~~~\n`],
    ["a long fence with a short one", `\`\`\`\`md\n\`\`\`\nx\n\`\`\`\n${VICTIM}\`\`\`\`\n`],
    ["a fence in one of its length", `\`\`\`md\n\`\`\`ts\nx\n\`\`\`\n${VICTIM}\`\`\`\n`],
    ["a fence in a list", `1. So:\n\n   \`\`\`\n${VICTIM.replaceAll(/^/gm, "   ").trimEnd()}\n   \`\`\`\n`],
    ["a fence that begins an item", `- \`\`\`\n${VICTIM}  \`\`\`\n`],
    ["a fence in a quotation", `> \`\`\`\n${VICTIM.replaceAll(/^/gm, "> ").trimEnd()}\n> \`\`\`\n`],
    ["a fence with a line that looks like its end", `\`\`\`\n    \`\`\`\n> \`\`\`\n${VICTIM}\`\`\`\n`],
    ["a quotation", `${VICTIM.trimEnd().replaceAll(/^/gm, "> ")}\n`],
    ["indented code", `${VICTIM.trimEnd().replaceAll(/^/gm, "    ")}\n`],
    ["a diff", `--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n${VICTIM.trimEnd().replaceAll(/^/gm, " ")}\n`],
    ["a diff of added lines", `${VICTIM.trimEnd().replaceAll(/^/gm, "+")}\n`],
    ["a block of another tool", `b.md\n<<<<<<< SEARCH\n=======\n${VICTIM}>>>>>>> REPLACE\n`],
    [
      "a fence with a block that quotes a fence",
      `\`\`\`\nx.md\n<<<< EDIT\n==== REPLACE\n\`\`\`\n${LONGER_VICTIM}>>>> EDIT END\n\`\`\`\n`,
    ],
  ])("are none in %s", (_, quotation) => {
    expect(read(`For example:\n\n${quotation}\n${MEANT}`)).toMatchObject({ blocks: [meant], refused: [] })
    expect(read(`${MEANT}\n${quotation}`)).toMatchObject({ blocks: [meant], refused: [] })
  })

  it("are none after a fence that never ends", () => {
    expect(read(`\`\`\`ts\nx\n\n${MEANT}`)).toEqual({ blocks: [], refused: [], unreadable: 1 })
    expect(read(`A \`\`\`fence\`\`\` in a line is none.\n${MEANT}`).blocks).toEqual([meant])
  })

  it("are counted if they name no file, or are of another form", () => {
    const other = "a.ts\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    expect(read(`${block("**Note**", "a\n", "b\n")}${MEANT}${other}`)).toEqual({
      blocks: [meant],
      refused: [],
      unreadable: 2,
    })
    expect(editsIn("A marker such as <<<< EDIT begins one.").unreadable).toBe(0)
  })

  it("have names in any language and, in quotes, with spaces", () => {
    for (const path of ["größe.ts", "größe.ts".normalize("NFD"), "メモ.md", "docs/メモ"]) {
      expect(read(block(path, "a\n", "b\n")).blocks).toMatchObject([{ path }])
    }
    expect(read(block("`docs/My notes.md`", "a\n", "b\n")).blocks).toMatchObject([{ path: "docs/My notes.md" }])
    for (const prose of ["次のように変更します", "変更します。", "docs/My notes.md", "`npm run x`"]) {
      expect(read(block(prose, "a\n", "b\n"))).toMatchObject({ blocks: [], unreadable: 1 })
    }
  })

  it.each([
    ...["### src/a.ts", "# src/a.ts", "**src/a.ts**", "### `src/a.ts`", "**`src/a.ts`**:", "src/a.ts:", "`src/a.ts`:"],
    ...["- src/a.ts", "* `src/a.ts`", "1. src/a.ts", "2) **src/a.ts**", "### 3. `src/a.ts`", "## src/a.ts (new file)"],
    ...["File: src/a.ts", "**File:** `src/a.ts`", "**File: src/a.ts**", "Filename: src/a.ts", "New file: `src/a.ts`"],
    ...["Path: src/a.ts", "### File: `src/a.ts`", "'src/a.ts'", "*src/a.ts*", "_src/a.ts_", "src/a.ts  "],
    ...["```src/a.ts", "```ts src/a.ts", "```ts:src/a.ts", '```ts title="src/a.ts"', "~~~ts file=src/a.ts {1}"],
  ])("have a path as models write it: %s", (line) => {
    expect(read(block(line, "a\n", "b\n")).blocks).toMatchObject([{ path: "src/a.ts" }])
    // Any prefix of the line may still become a path, so a terminal can't print it yet.
    const prefixes = Array.from(line, (_, at) => line.slice(0, at))
    expect(prefixes.filter((prefix) => !/^[`~]{3}/.test(line) && !mayBePath(prefix))).toEqual([])
  })

  it("have no path in lines that a terminal can print as they arrive", () => {
    for (const line of ["I rename it", "- Then the", "**Note** that", "## What is new", "あ".repeat(41)]) {
      expect([line, mayBePath(line)]).toEqual([line, false])
    }
  })

  it.each([
    "[slug].tsx",
    "$id.tsx",
    "C#.md",
    "__init__.py",
    "_layout.tsx",
    "(app).tsx",
    "+page.svelte",
    "app/[id]/page.tsx",
  ])("have a name with signs: %s", (path) => {
    for (const line of [path, `\`${path}\``, `### ${path}`, `**${path}**`]) {
      expect(read(block(line, "a\n", "b\n")).blocks).toMatchObject([{ path }])
    }
  })

  it("have the path of a shown file, whatever it contains", () => {
    const shown = [
      "my app/Makefile",
      "# title.md",
      "- list.md",
      "the file",
      "[think].md",
      "a: b",
      "Note:",
      "*",
      "Done.",
    ]
    const isKnown = (path: string) => shown.includes(path)
    for (const path of shown) {
      expect(editsIn(block(path, "a\n", "b\n"), { isKnown }).edits).toMatchObject([{ block: { path } }])
      expect(editsIn(`\`\`\`\n${block(path, "a\n", "b\n")}\`\`\``, { isKnown }).edits).toEqual([])
    }
    for (const line of ["`my app/Makefile`", "### my app/Makefile", "File: my app/Makefile"]) {
      const { edits } = editsIn(block(line, "a\n", "b\n"), { isKnown })
      expect(edits).toMatchObject([{ block: { path: "my app/Makefile" } }])
    }
    expect(read(block("my app/Makefile", "a\n", "b\n"))).toMatchObject({ blocks: [], unreadable: 1 })
  })

  it("keep the path before a fence if the fence names another", () => {
    expect(read(block('src/a.ts\n```ts title="b.ts"', "a\n", "b\n")).blocks).toMatchObject([{ path: "src/a.ts" }])
    expect(read(`\`\`\`ts title="b.ts"\n${VICTIM}\`\`\`\n${MEANT}`).blocks).toEqual([meant])
  })

  it("name the signs that a block of a text needs", () => {
    expect(markerSignsFor("a\n<<<<<<< HEAD\nEDIT\n")).toBeUndefined()
    expect(markerSignsFor(`a\r\n  >>>>>> EDIT END\r\n${VICTIM}`)).toBe(7)
  })
})

const FORMS: [begin: string, end: string][] = [
  ...["think", "thinking", "thought", "reasoning", "reflection", "scratchpad", "seed:think", "THINK", "Thinking"].map(
    (name): [string, string] => [`<${name}>`, `</${name}>`],
  ),
  ['<thinking depth="3" mode=long>', "</thinking>"],
  ["◁think▷", "◁/think▷"],
  ["[THINK]", "[/THINK]"],
  ["<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"],
  ["<|channel>thought", "<channel|>"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
]
const UNBEGUN: [begin: string, end: string] = ["analysis", "assistantfinal"]

describe("the thoughts of an answer", () => {
  it.each(FORMS)("that stand in %s … %s have drafts and no edits", (begin, end) => {
    const thoughts = [
      `${begin}\n${VICTIM}${end}\n`,
      `Well. ${begin}I begin.\n${VICTIM}So.${end}\n\n`,
      `${begin}${end}${begin}Hm,\n\`\`\`\n${VICTIM}${end}\n`,
      `${begin}\nsrc/a.ts\n<<<< EDIT\n  return 1\n${end}\n`,
    ]
    for (const thought of thoughts) {
      expect(read(`${thought}${MEANT}`)).toEqual({ blocks: [meant], refused: [], unreadable: 0 })
      expect(read(`${MEANT}${thought}${VICTIM}${thought}`).blocks).toMatchObject([meant, { path: "src/a.ts" }])
    }
    expect(read(`${MEANT}${begin}\n${VICTIM}`)).toEqual({ blocks: [meant], refused: [], unreadable: 1 })
  })

  it.each([...FORMS, UNBEGUN])("that end without a begin, %s … %s, take what is before them along", (_, end) => {
    for (const thought of [
      `Perhaps:\n${VICTIM}\n${end}\n`,
      `${VICTIM}So.${end}`,
      `${VICTIM}\`\`\`\nx\n\`\`\`\n${end}\n`,
    ]) {
      expect(read(`${thought}${MEANT}`)).toEqual({ blocks: [meant], refused: [], unreadable: 0 })
    }
  })

  it("are quoted in fences, inline code and files, and stay there", () => {
    for (const [begin, end] of FORMS) {
      const quotations = [
        `\`\`\`\n${begin}\n${end}\n\`\`\`\n`,
        `\`\`\`\n${end}\n\`\`\`\n`,
        `Not \`${begin}\` or \`${end}\`.\n`,
      ]
      for (const quotation of quotations) expect(read(`${quotation}${MEANT}${quotation}`).blocks).toEqual([meant])
      const { blocks } = read(`${block("a.md", `${begin}\nx\n`, `${end}\n`)}${MEANT}`)
      expect(blocks).toEqual([{ path: "a.md", oldLines: [begin, "x"], newLines: [end] }, meant])
    }
    expect(read(`It takes an Array<Thought> and a "<think>" as it is.\n${MEANT}`).blocks).toEqual([meant])
  })

  it("say so if they take edits along that were perhaps meant", () => {
    const nested = `${MEANT}<think>\nA <think> b </think>\n${VICTIM}</think>\n`
    expect(read(nested)).toEqual({ blocks: [], refused: [], unreadable: 2 })
    expect(read(`${MEANT}The </think> is gone.\n`)).toEqual({ blocks: [], refused: [], unreadable: 1 })
    // Drafts and an unclosed fence, which hides the end of the thoughts.
    expect(read(`${VICTIM}\`\`\`ts\nx\n</think>\n${MEANT}`)).toEqual({ blocks: [], refused: [], unreadable: 2 })
    expect(read(`${VICTIM}\`\`\`ts\nx\n</think>\nDone.`)).toEqual({ blocks: [], refused: [], unreadable: 1 })
  })
})
