import { editsIn } from "@switchyard/core/files/edits/answer-edits"
import { applyEdit } from "@switchyard/core/files/edits/apply-edit"
import { COMMIT_PROMPT } from "@switchyard/core/work/chat/edits/commit-message"
import { systemPrompt } from "@switchyard/core/work/chat/prompt/prompts"
import { mapSection, treeSection, workingFilesSection } from "@switchyard/core/work/context/sections"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { answerTo } from "../../packages/demo-model/src/answers.ts"

const map =
  "\nsrc/greet.ts: ←2\ni node:fs\ni→src/door.ts\naf greet(name,loud?)->Promise<string>\nc Door(Wall)\n  m open()\n\nsrc/door.ts:\nv door"

function ask(question: string, files: Record<string, string> = {}) {
  const shown = Object.entries(files).map(([path, text]) => ({ path, text }))
  const sections = [treeSection(["package.json", "src/greet.ts", ...Object.keys(files)]), workingFilesSection(shown)]
  const messages = [...sections, question].map((content) => ({ role: "user" as const, content }))
  return answerTo({ model: "demo", system: `${systemPrompt(undefined)}\n\n${mapSection(map)}`, messages }).text
}

describe("the demo model in the chat", () => {
  it("says what it is, and what it can do here", () => {
    expect(ask("Hello!")).toContain("scripted demo model")
    expect(editsIn(ask("Hello!")).edits).toEqual([])
  })

  it("names the files in the message of a commit", () => {
    const message = (changes: string) => {
      const content = `The request:\nCommit this.\n\nThe changes:\n${changes}`
      return answerTo({ model: "demo", system: COMMIT_PROMPT, messages: [{ role: "user", content }] }).text
    }
    expect(message("a.ts\n--- before\nx\n\nif (y)\n  z\n--- after\ny")).toBe("chore: change a.ts")
    expect(message("added a.ts\nrenamed b c.ts to d e.ts\n\na.ts\n--- after\ny")).toBe("chore: change a.ts and d e.ts")
    expect(message("2 files changed\n\na.ts\n x\n+y\n\nsrc/b.ts\n+ y")).toBe("chore: change a.ts and src/b.ts")
    expect(message("deleted a\ndeleted b\ndeleted c")).toBe("chore: change a and 2 other files")
    expect(message("")).toBe("chore: change the project")
  })

  it("answers what the map can answer", () => {
    expect(ask("Where is `greet` defined?")).toContain(
      "- src/greet.ts: `async function greet(name,loud?)->Promise<string>`",
    )
    expect(ask("where is nothing defined?")).toContain("can't find a declaration")
    expect(ask("What is in greet.ts?")).toContain("class Door(Wall)")
    expect(ask("What does a.ts import?", { "a.ts": 'import { b } from "./b.ts"\nimport "c"\n' })).toMatch(
      /b\.ts[\s\S]*`c`/,
    )
    expect(ask("What does src/greet.ts import?")).toMatch(/`node:fs`\n- `src\/door.ts`/)
    expect(ask("What does package.json import?")).toContain("Select it")
    expect(ask("How do I run the tests?")).toContain("```bash\nnpm test\n```")
  })

  it("creates a file, adds a line and replaces a text", () => {
    expect(editsIn(ask('Create `notes.md` with "Hello"')).edits).toEqual([
      { block: { path: "notes.md", oldLines: [], newLines: ["Hello"] } },
    ])
    expect(made("a.md", "one\ntwo\n", 'Add "three" to a.md')).toBe("one\ntwo\nthree\n")
    expect(made("a.md", "one\ntwo\n", 'Replace "two" with "2" in a.md')).toBe("one\n2\n")
  })

  it("leaves the line alone by which it knows its own project", () => {
    const record = '<!-- demo: {"topic":"notes","name":"Notes"} -->'
    const readme = `# Notes\n\nMy notes.\n\n${record}\n`
    expect(made("README.md", readme, "Rename `Notes` to `Words` in README.md")).toBe(
      readme.replace("# Notes", "# Words"),
    )
    expect(ask("Rename `topic` to `theme` in README.md", { "README.md": readme })).toContain("can't find `topic`")
  })

  it("renames a word wherever it stands, in a text of any shape", () => {
    const line = fc.constantFrom("const total = 1", "", "}", "total + subtotal", "other", "  total")
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), (lines) => {
        const text = `${lines.join("\n")}\n`
        const expected = text.replace(/\btotal\b/g, "sum")
        if (expected !== text) expect(made("a.ts", text, "Rename `total` to `sum` in a.ts")).toBe(expected)
      }),
    )
  })

  it("changes a long file in which all lines are the same, or come again and again", () => {
    const rename = "Rename `total` to `sum` in a.ts"
    expect(made("a.ts", "total\n".repeat(6000), rename)).toBe("sum\n".repeat(6000))
    expect(made("a.ts", "total\n\n\n\n".repeat(1500), rename)).toBe("sum\n\n\n\n".repeat(1500))
    expect(made("a.md", "one\n".repeat(6000), 'Add "two" to a.md')).toBe(`${"one\n".repeat(6000)}two\n`)
  })
})

function made(path: string, text: string, question: string): string {
  return editsIn(ask(question, { [path]: text })).edits.reduce((before, { block }) => {
    const applied = applyEdit(before, block)
    expect(applied).toMatchObject({ status: "applied" })
    return applied.status === "applied" ? applied.text : before
  }, text)
}
