import { createScriptedProvider, textAnswer } from "@switchyard/core/models/scripted"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { block, type ChatBench, openChatBench } from "./chat-bench.ts"

let bench: ChatBench
beforeEach(async () => {
  bench = await openChatBench()
})
afterEach(() => bench.close())

/** The result of a turn whose answer has these edits of the files. */
async function resultOf(files: Record<string, string>, ...edits: [path: string, from: string, to: string][]) {
  await bench.write(files)
  const answer = edits.map(([path, from, to]) => block(path, from, to)).join("")
  await bench.execute(
    await bench.ask("Change them", { files: Object.keys(files) }),
    createScriptedProvider(() => textAnswer(answer)),
  )
  return (await bench.messages()).at(-1)?.result
}

describe("an edit that is applied", () => {
  it("says what is wrong with its file since, and the message to ask again has it, too", async () => {
    const result = await resultOf({ "a.js": "let a = 1\nlet b = (a + 1)\n" }, [
      "a.js",
      "let b = (a + 1)\n",
      "let b = (a + 1\n",
    ])
    expect(await bench.files()).toEqual({ "a.js": "let a = 1\nlet b = (a + 1\n" })
    const [edit] = result?.edit_results ?? []
    expect(edit).toMatchObject({ status: "applied", faults: [expect.stringMatching(/^Line \d: /)] })
    expect(result?.retry_prompt).toBe(`Since the edits, something is wrong:\n- a.js: ${edit?.faults?.[0]}\nMend it.`)
  })

  it("tells of the last state alone, and of nothing that was wrong before or that can't be read as code", async () => {
    const files = { "a.js": "let a = 1\n", "b.js": "let b = (1\nlet c = 2\n", "c.txt": "(\n" }
    const result = await resultOf(
      files,
      ["a.js", "let a = 1\n", "let a = (1\n"],
      ["a.js", "let a = (1\n", "let a = 2\n"],
      ["b.js", "let c = 2\n", "let c = 3\n"],
      ["c.txt", "(\n", "((\n"],
    )
    expect(result?.counts.passed).toBe(4)
    expect(result?.edit_results.flatMap(({ faults }) => faults ?? [])).toEqual([])
    expect(result?.retry_prompt).toBe(null)
  })

  it("leaves it to edits that failed to be asked for first", async () => {
    const result = await resultOf(
      { "a.js": "let a = 1\n" },
      ["a.js", "let a = 1\n", "let a = (1\n"],
      ["a.js", "let z = 1\n", "let z = 2\n"],
    )
    expect(result?.edit_results[0]?.faults).toHaveLength(1)
    expect(result?.retry_prompt).toContain("Some edits did not match:")
  })
})
