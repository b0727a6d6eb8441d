import { readFileSync } from "node:fs"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import { readHistory, titleOf } from "@switchyard/core/agents/native-sessions/history"
import { describe, expect, it } from "vitest"

const DONE = `Done.\n\n\`\`\`json\n${JSON.stringify({ change_summary: "Made a file.", files_changed: ["made-by-agent.txt"], completion_status: "success" })}\n\`\`\``

/** Reads a transcript that the program wrote, without its instructions and its copies of requests. */
const recorded = (cli: CliId) => readFileSync(`tests/fixtures/native-sessions/${cli}.jsonl`)
const lines = (...all: (object | string)[]) =>
  Buffer.from(all.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""))
const told = (text: unknown, more = {}) => ({ type: "user", message: { role: "user", content: text }, ...more })
const textsOf = (...all: (object | string)[]) => readHistory("claude", lines(...all)).messages.map(({ text }) => text)

describe.each(["claude", "codex", "gemini", "qwen"] as const)("a session that %s wrote in two runs", (cli) => {
  it("has the messages that a person saw, once each", () => {
    const agent = ["I do this now.", "I do this now.", DONE].map((text) => ({ role: "agent", text }))
    expect(readHistory(cli, recorded(cli))).toEqual({
      messages: [
        { role: "user", text: "Make a file, please.\nAnd say hello." },
        ...agent,
        { role: "user", text: "Thanks. Do it again." },
        ...agent,
      ],
      omitted: false,
    })
  })

  it("is called after its first message", () => {
    expect(titleOf(cli, recorded(cli))).toBe("Make a file, please. And say hello.")
  })
})

it("leaves out what the program added, its sub-agents' messages and its own errors", () => {
  const added = ["<system-reminder>x</system-reminder>", "<command-name>/cost</command-name>"].map((text) => told(text))
  const aside = [told("x", { isMeta: true }), told("x", { isSidechain: true }), told("x", { isCompactSummary: true })]
  expect(textsOf(...added, ...aside, told("<div> is wrong"))).toEqual(["<div> is wrong"])
})

describe("a hostile transcript", () => {
  it("shows no control characters, and no half of a character", () => {
    const coloured = "\u001b]0;title\u0007\u001b[2Ja\u0000b\u009b31mc\ud800"
    expect(textsOf(told(coloured))).toEqual(["abc\ufffd"])
  })

  it("costs its lines that are no objects, too long, too deep or of other types", () => {
    const deep = `{"type":"user","message":${"[".repeat(5000)}`
    const wrong = [told(7), told({ text: "x" }), told([{ text: 7 }, null]), { type: "constructor", message: 1 }]
    const huge = told("x".repeat(600 * 1024))
    expect(textsOf("[]", "null", "{", deep, ...wrong, huge, told("right"))).toEqual(["right"])
  })

  it("is read only at its end if it is large", () => {
    const large = Array.from({ length: 20 }, (_, index) => told(`${index} ${"x".repeat(450_000)}`))
    const { messages, omitted } = readHistory("claude", lines(...large))
    expect(omitted).toBe(true)
    expect(messages.length).toBeLessThan(20)
    expect(messages.at(-1)?.text).toMatch(/^19 /)
  })

  it("has its newest messages, which are cut", () => {
    const many = Array.from({ length: 70 }, (_, index) => told(`${index} ${"x".repeat(30_000)}`))
    const { messages, omitted } = readHistory("claude", lines(...many))
    expect(omitted).toBe(true)
    expect(messages).toHaveLength(60)
    expect(messages.at(-1)?.text.length).toBeLessThanOrEqual(20_000)
    expect(messages.at(-1)?.text).toMatch(/^69 /)
  })
})
