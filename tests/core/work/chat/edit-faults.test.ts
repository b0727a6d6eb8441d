import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import { block, type ChatBench, openChatBench } from "./chat-bench.ts"

let bench: ChatBench
beforeEach(async () => {
  bench = await openChatBench()
})
afterEach(() => bench.close())

/** Resolves to the result of a turn whose answer makes these edits to the files. */
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
    ["a bold word", block("**Note**", ...lines), true],
    ["a sentence", block("In the file a.ts", ...lines), true],
    ["a patch without a file", "```diff\n@@ -1 +1 @@\n-const a = 1\n+const a = 2\n```\n", true],
    ["a patch", "```diff\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-const a = 1\n+const a = 2\n```\n", false],
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
    expect(result?.retry_prompt).toBe(`The edits introduced these problems:\n- a.js: ${edit?.faults?.[0]}\nFix them.`)
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

describe("an answer that isn't all that it should be", () => {
  it.each([
    ["I can't help with that.", "The model refused to answer. Its reason: I can't help with that."],
    [undefined, "The model refused to continue its answer."],
  ])(
    "has the tokens that were counted where it is refused, and the reason where one is given (%s)",
    async (reason, error) => {
      await bench.execute(
        await bench.ask("Do it"),
        createScriptedProvider(() => [
          { type: "text", text: "I can't" },
          { type: "usage", usage: { input: 90, cacheRead: 10, cacheWrite: null, output: 3 } },
          { type: "end", stopReason: "refusal", ...(reason && { reason }) },
        ]),
      )
      const result = (await bench.messages()).at(-1)?.result
      expect(result).toMatchObject({ error, response: "I can't", finish_reason: "refusal" })
      const model = createScriptedProvider(() => textAnswer("Hello."))
      await bench.execute(await bench.ask("Something else"), model)
      const sent = JSON.stringify(model.requests[0]?.messages)
      expect([sent.includes("Something else"), sent.includes("Do it"), sent.includes("I can't")]).toEqual([
        true,
        false,
        false,
      ])
      const estimates = { estimated_input: null, estimated_output: null }
      expect(result?.token_usage).toEqual({ input: 90, cache_read: 10, cache_write: null, output: 3, ...estimates })
    },
  )

  it("has the lines that a failed edit probably meant", async () => {
    const result = await resultOf({ "a.ts": "const lease = renew(1)\nrun()\n" }, [
      "a.ts",
      "const lease = renew(2)\n",
      "x\n",
    ])
    expect(result?.edit_results[0]?.message).toContain("Did you mean this, from line 1?\nconst lease = renew(1)")
    expect(result?.retry_prompt).toContain("const lease = renew(1)")
  })

  it("is told apart if it says that it changed a file, but has no edit; the model learns it, too", async () => {
    await bench.write({ "a.ts": "a\n" })
    const say = async (answer: string, mode: "edit" | "review" = "edit") => {
      const model = createScriptedProvider(() => textAnswer(answer))
      await bench.execute(await bench.ask("Change it", { files: ["a.ts"], mode }), model)
      return { sent: JSON.stringify(model.requests[0]?.messages), result: (await bench.messages()).at(-1)?.result }
    }
    const { result } = await say("I have updated a.ts.")
    expect(result).toMatchObject({ is_unbacked: true, retry_prompt: expect.stringContaining("no edit blocks") })
    expect(result?.notice).toMatch(/^No file was changed/)
    const next = await say("Nothing is to be done in a.ts.")
    expect(next.sent).toContain("No edit of this answer was made.")
    expect([next.result?.is_unbacked, next.result?.notice]).toEqual([undefined, null])
    expect((await say("I have updated a.ts.", "review")).result?.notice).toBeNull()
  })

  it("has an edit made once that it has twice", async () => {
    const insert = ["a.ts", "a\n", "a\nnew\n"] as [string, string, string]
    const result = await resultOf({ "a.ts": "a\nb\n" }, insert, insert)
    expect(await bench.files()).toEqual({ "a.ts": "a\nnew\nb\n" })
    expect(result?.counts).toMatchObject({ passed: 1, already_applied: 1, failed: 0 })
  })

  it("says how many of its edits can't be read beside those that were made, and asks for them", async () => {
    const result = await resultOf({ "a.ts": "a\n", "b.ts": "b\n" }, ["**Note**", "a\n", "x\n"], ["b.ts", "b\n", "x\n"])
    expect(await bench.files()).toEqual({ "a.ts": "a\n", "b.ts": "x\n" })
    expect(result?.counts).toMatchObject({ passed: 1, unreadable: 1 })
    expect(result?.notice).toMatch(/^One edit in the answer couldn't be parsed and changed nothing\./)
    expect(result?.retry_prompt).toMatch(/^Some edits could not be read\./)
  })

  it("fills an empty file, and doesn't count it as created", async () => {
    const result = await resultOf({ "pkg/__init__.py": "" }, ["pkg/__init__.py", "", "x = 1\n"])
    expect(await bench.files()).toEqual({ "pkg/__init__.py": "x = 1\n" })
    expect(result).toMatchObject({ files_modified: ["pkg/__init__.py"], files_created: [] })
  })

  it("edits a shown file whose path could be words", async () => {
    const result = await resultOf({ "my app/Makefile": "a\n" }, ["my app/Makefile", "a\n", "b\n"])
    expect(await bench.files()).toEqual({ "my app/Makefile": "b\n" })
    expect(result?.counts).toMatchObject({ passed: 1, failed: 0 })
  })

  it("applies a patch, unless it was asked for", async () => {
    await bench.write({ "a.ts": "a\n" })
    const patch = "*** Begin Patch\n*** Update File: a.ts\n-a\n+b\n*** End Patch\n"
    for (const [message, text] of [
      ["Show me a diff of it", "a\n"],
      ["Change it", "b\n"],
    ] as const) {
      const runId = await bench.ask(message, { files: ["a.ts"] })
      await bench.execute(
        runId,
        createScriptedProvider(() => textAnswer(patch)),
      )
      expect(await bench.files()).toEqual({ "a.ts": text })
      expect((await bench.messages()).at(-1)?.result?.notice).toBeNull()
    }
  })

  it("finds the file that a path means in another Unicode form", async () => {
    const result = await resultOf({ "src/größe.ts": "a\n" }, ["src/größe.ts".normalize("NFD"), "a\n", "b\n"])
    expect(await bench.files()).toEqual({ "src/größe.ts": "b\n" })
    expect(result?.files_modified).toEqual(["src/größe.ts"])
  })

  it("has a file selected that it would create, and that is there", async () => {
    await bench.write({ "a.ts": "a\n" })
    await bench.execute(
      await bench.ask("Create it", { files: [] }),
      createScriptedProvider(() => textAnswer(block("a.ts", "", "other\n"))),
    )
    const result = (await bench.messages()).at(-1)?.result
    expect(result).toMatchObject({ counts: { not_in_context: 0, failed: 1 }, files_auto_added: ["a.ts"] })
    expect(result?.retry_prompt).toMatch(/^Some edits could not be made:\n- a\.ts: /)
    expect(await bench.files()).toEqual({ "a.ts": "a\n" })
  })

  it("may be mended or gone on with by a message", async () => {
    const refused = await resultOf({ "a.ts": "a\n" }, ["a.ts", "", "other\n"])
    expect(refused?.retry_prompt).toMatch(/^Some edits could not be made:\n- a\.ts: /)
    await bench.execute(
      await bench.ask("Go on", { files: [] }),
      createScriptedProvider(() => [
        { type: "text", text: "It goes on and" },
        { type: "end", stopReason: "max_tokens" },
      ]),
    )
    expect((await bench.messages()).at(-1)?.result?.retry_prompt).toBe(
      "Your answer was cut off. Continue where it ended.",
    )
  })

  it("is none where it is empty, or calls a tool", async () => {
    for (const [stopReason, words] of [
      ["end", "The model didn't answer."],
      ["tool_calls", "called a tool instead"],
    ] as const) {
      await bench.execute(
        await bench.ask("Say it", { files: [] }),
        createScriptedProvider(() => [
          { type: "text", text: "\n" },
          { type: "end", stopReason },
        ]),
      )
      expect((await bench.messages()).at(-1)?.result?.notice).toContain(words)
    }
  })
})
