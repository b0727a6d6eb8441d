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

describe("an answer whose edits name no file", () => {
  const lines = ["const a = 1\n", "const a = 2\n"] as const
  it.each([
    ["a bold path", block("**a.ts**", ...lines), true],
    ["a label", block("File: a.ts", ...lines), true],
    ["a heading", block("### a.ts", ...lines), true],
    ["another tool's form", "a.ts\n<<<<<<< SEARCH\nconst a = 1\n=======\nconst a = 2\n>>>>>>> REPLACE\n", true],
    ["CRLF", block("", ...lines).replaceAll("\n", "\r\n"), true],
    ["a path", block("a.ts", ...lines), false],
    ["no edit", "A marker such as <<<< EDIT begins one.", false],
  ])("says so (%s)", async (_, answer, isTold) => {
    await bench.write({ "a.ts": "const a = 1\n" })
    const runId = await bench.ask("Change it", { files: ["a.ts"] })
    await bench.execute(
      runId,
      createScriptedProvider(() => textAnswer(answer)),
    )
    const [, said] = await bench.messages()
    expect(said?.result?.notice?.includes("No file was changed") ?? false).toBe(isTold)
  })
})

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
