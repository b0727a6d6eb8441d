import type { ModelRequest } from "@switchyard/core/models/provider"
import { topicQuestion } from "@switchyard/core/work/chat/history/topic-finding"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../../fixtures/scripted-model.ts"
import { block, type ChatBench, openChatBench } from "../chat-bench.ts"

let bench: ChatBench
beforeEach(async () => {
  bench = await openChatBench()
  await bench.write({ "a.ts": "const a = 1\n", "b.ts": "const b = 1\n", ".envrc": "x\n" })
})
afterEach(() => bench.close())

async function turn(answer: string, options: Parameters<ChatBench["ask"]>[1] = { files: ["a.ts", "b.ts"] }) {
  const model = createScriptedProvider(() => textAnswer(answer))
  await bench.execute(await bench.ask("Change them", options), model)
  const { messages } = model.requests[0] as ModelRequest
  return messages.map(({ content }) => String(content))
}

const TITLE = "[Results of these edits]"
const APPLIED = block("a.ts", "const a = 1\n", "const a = 2\n")

describe("the results of an answer's edits", () => {
  it("are in the next request: which were made, and why the others weren't", async () => {
    const failed = block("b.ts", "const z = 1\n", "const z = 2\n")
    await turn(`${APPLIED}\n${failed}\n${block(".envrc", "x\n", "y\n")}`)
    const sent = (await turn("Yes.")).find((text) => text.includes(TITLE)) ?? ""
    const [, results = ""] = sent.split(`\n\n${TITLE}\n`)
    expect(results.split("\n- ")).toEqual([
      "- a.ts: applied at line 1.",
      expect.stringMatching(/^b\.ts: failed\. The old lines aren't in the file/),
      expect.stringMatching(/^\.envrc: not made\. This file wasn't written, because/),
    ])
  })

  it.each([
    ["a review, which makes none", APPLIED, { mode: "review" as const }, "No edit of this answer was made."],
    ["edits that can't be parsed", block("**Note**", "a\n", "b\n"), {}, "- 1 edit couldn't be parsed"],
  ])("say so after %s", async (_, answer, options, expected) => {
    await turn(answer, { files: ["a.ts"], ...options })
    expect((await turn("Yes.")).some((text) => text.includes(`${TITLE}\n${expected}`))).toBe(true)
  })

  it("name the mistakes that an edit made, and are none without edits", async () => {
    await turn(block("a.ts", "const a = 1\n", "const a = (1\n"))
    await turn("Only words.")
    const sent = await turn("Yes.")
    expect(sent.filter((text) => text.includes(TITLE))).toHaveLength(1)
    expect(sent.find((text) => text.includes(TITLE))).toMatch(/a\.ts: applied at line 1\.\n {2}New problem: Line \d/)
    expect(sent).toContain("Only words.")
  })

  it("are read for a summary, too, however long their answer is", async () => {
    await turn(`${"Words. ".repeat(400)}\n${block("b.ts", "const z = 1\n", "const z = 2\n")}`)
    expect(topicQuestion(await bench.history())).toContain(`${TITLE}\n- b.ts: failed.`)
  })
})
