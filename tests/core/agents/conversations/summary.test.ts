import { balancedObjects } from "@switchyard/core/agents/conversations/extract-json"
import { findProgress } from "@switchyard/core/agents/conversations/progress"
import { codingPrompt, continuationPrompt } from "@switchyard/core/agents/conversations/prompt"
import { findSummary, withoutSummary } from "@switchyard/core/agents/conversations/summary"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const notes = { documents: ["AGENTS.md"], checks: ["npm test"], screenshots: ["/tree/.switchyard-uploads/a.png"] }

describe("the summary of a task", () => {
  it.each([
    [
      "fenced",
      'Done.\n```json\n{"change_summary": "a", "files_changed": ["x"], "completion_status": "partial"}\n```\n',
    ],
    ["bare", 'Done. {"change_summary": "a", "files_changed": ["x"], "completion_status": "partial"} Bye.'],
    ["before other braces", '{"change_summary":"a","files_changed":["x"],"completion_status":"partial"} and `{x}`'],
    ["after code", 'if (a) { b("}") }\n{"change_summary":"a","files_changed":["x"],"completion_status":"partial"}'],
    ["inside other braces", '{ see: {"change_summary":"a","files_changed":["x"],"completion_status":"partial"} }'],
  ])("is found %s", (_where, text) => {
    expect(findSummary(text)).toEqual({ change_summary: "a", files_changed: ["x"], completion_status: "partial" })
  })

  it("is found with any text in it and around it", () => {
    const prose = fc.string().filter((text) => !text.includes('"'))
    fc.assert(
      fc.property(prose, fc.string({ minLength: 1 }), prose, (before, change_summary, after) => {
        const object = JSON.stringify({ change_summary, files_changed: [] })
        expect(findSummary(`${before}\n${object}${after}`)?.change_summary).toBe(change_summary)
      }),
    )
  })

  it("keeps back-ticks, which a fence can't", () => {
    const object = JSON.stringify({ change_summary: "use ```x``` and `y`" })
    expect(findSummary(`\`\`\`json\n${object}\n\`\`\``)?.change_summary).toBe("use ```x``` and `y`")
  })

  it("is the last one", () => {
    expect(findSummary('{"change_summary":"a"} {"change_summary":"b"}')?.change_summary).toBe("b")
  })

  it("isn't the example in the prompt, nor progress, nor an object without its key", () => {
    expect(findSummary(codingPrompt("do it", notes))).toBeUndefined()
    expect(findSummary('{"type":"progress","message":"x"}')).toBeUndefined()
    expect(findSummary('{"change_summary":""}')).toBeUndefined()
  })

  it("takes a moment on a text that is all braces", () => {
    expect(balancedObjects("{".repeat(3000))).toEqual([])
  })
})

describe("progress", () => {
  it("is read from Markdown, the last note first", () => {
    const text = "**Progress:** found it\n**Location:** src/a.ts:3\n**Next:** fix it\n\n- Progress: fixed it\n"
    expect(findProgress(text)).toEqual({ summary: "fixed it" })
    expect(findProgress(text.slice(0, 60))).toMatchObject({ summary: "found it", location: "src/a.ts:3" })
  })

  it("isn't the prompt's own example", () => {
    expect(findProgress(codingPrompt("do it", notes))).toBeUndefined()
  })
})

describe("the prompts", () => {
  it("name the project's documents and never repeat the task's text as instructions of their own", () => {
    const prompt = codingPrompt("make it blue", notes)
    expect(prompt).toContain("AGENTS.md")
    expect(prompt.split("make it blue")).toHaveLength(2)
  })

  it("tell a new session the task again, and a resumed one only to go on", () => {
    expect(continuationPrompt("make it blue", "x".repeat(9000), false)).toContain("make it blue")
    expect(continuationPrompt("make it blue", "x".repeat(9000), false).length).toBeLessThan(8000)
    expect(continuationPrompt("make it blue", "said", true)).not.toContain("make it blue")
  })
})

describe("an agent's words", () => {
  const object = JSON.stringify({ change_summary: "Made {a}.", files_changed: ["a"] }, null, 2)
  it.each([
    ["It is there.\n\n```json\n{}\n```", "It is there."],
    ["It is there.\n{}", "It is there."],
    ["```json\n{}\n```\n", "Made {a}."],
    ["{}", "Made {a}."],
    ["{}\nThat was it.", "{}\nThat was it."],
  ])("come without the summary for programs at their end: %j", (text, words) => {
    expect(withoutSummary(text.replace("{}", () => object))).toBe(words.replace("{}", () => object))
  })

  it.each(["", "Use {} here.", 'It answers {"change":1}', "```json\n[1]\n```"])("stay as they are: %j", (text) => {
    expect(withoutSummary(text)).toBe(text)
  })
})
