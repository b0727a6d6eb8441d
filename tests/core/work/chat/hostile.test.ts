import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import { block, type ChatBench, openChatBench } from "./chat-bench.ts"

let bench: ChatBench
beforeEach(async () => {
  bench = await openChatBench()
})
afterEach(() => bench.close())

/** Resolves to the result of a turn with this answer. */
async function answered(answer: string, options: { files?: string[] } = {}) {
  const runId = await bench.ask("Change it", options)
  const model = createScriptedProvider(() => textAnswer(answer))
  await bench.execute(runId, model)
  expect(await bench.run(runId)).toMatchObject({ status: "completed" })
  const result = (await bench.messages()).at(-1)?.result
  if (!result) throw new Error("The turn has no result.")
  return { ...result, prompt: model.requests[0] }
}

describe("an answer whose edits can't be applied", () => {
  it.each([
    ".git/config",
    ".GIT/hooks/post-checkout",
    "src/.git/config",
    "../x.ts",
    "a/../../x.ts",
    "/etc/passwd",
    "C:/x.ts",
    "..\\x.ts",
    "aux.txt/x",
  ])("because they name %s says so, and applies the others", async (path) => {
    const result = await answered(block(path, "", "evil\n") + block("good.ts", "", "fine\n"))
    expect(result).toMatchObject({ skipped: [path], passed: ["good.ts"] })
    expect(await bench.files()).toEqual({ "good.ts": "fine\n" })
  })

  it("because a file is in the way of a folder says so, and applies the others", async () => {
    await bench.write({ "a.ts": "one\n" })
    const edits = [
      ...[block("a.ts/b.ts", "", "under a file\n"), block("new", "", "file\n"), block("new/x.ts", "", "under it\n")],
      block("good.ts", "", "fine\n"),
    ]
    const result = await answered(edits.join(""))
    expect(result.passed).toEqual(["new", "good.ts"])
    expect(result.failed.map(({ file }) => file)).toEqual(["a.ts/b.ts", "new/x.ts"])
    expect(await bench.files()).toEqual({ "a.ts": "one\n", "good.ts": "fine\n", new: "file\n" })
  })

  it("because two names are the same in another Unicode form says so, and applies one", async () => {
    const result = await answered(block("src/\u00e9.ts", "", "one\n") + block("src/e\u0301.ts", "", "two\n"))
    expect(result.counts).toMatchObject({ passed: 1, failed: 1 })
    expect(Object.keys(await bench.files())).toHaveLength(1)
  })

  it("because the file would be too long, or no text, says so, and applies the others", async () => {
    await bench.write({ "a.ts": "one\n", "b.ts": "one\n" })
    const edits = [
      ...[block("a.ts", "one\n", `${"long\n".repeat(90_000)}`), block("b.ts", "one\n", "t\0wo\n")],
      block("c.ts", "", "fine\n"),
    ]
    const result = await answered(edits.join(""), { files: ["a.ts", "b.ts"] })
    expect(result.passed).toEqual(["c.ts"])
    expect(result.failed.map(({ file }) => file)).toEqual(["a.ts", "b.ts"])
    expect(await bench.files()).toEqual({ "a.ts": "one\n", "b.ts": "one\n", "c.ts": "fine\n" })
  })
})

describe("an answer", () => {
  it("edits a file that it names in two ways as one file", async () => {
    await bench.write({ "a.ts": "one\ntwo\n" })
    const result = await answered(block("./a.ts", "one\n", "1\n") + block("a.ts", "two\n", "2\n"), { files: ["a.ts"] })
    expect(result.counts).toMatchObject({ passed: 2, failed: 0 })
    expect(await bench.files()).toEqual({ "a.ts": "1\n2\n" })
  })

  it("that makes very many files selects no more than there may be, and the chat goes on", async () => {
    const paths = Array.from({ length: 700 }, (_, n) => `src/${"\u6587".repeat(20)}-${n}.ts`)
    const result = await answered(paths.map((path) => block(path, "", "x\n")).join(""))
    expect(result.counts.passed).toBe(700)
    const { selected } = (await bench.state()).chat
    expect(selected.length).toBeGreaterThan(50)
    expect(selected.length).toBeLessThanOrEqual(300)
    await answered("Fine.", { files: selected })
    expect((await bench.state()).chat.selected).toEqual(selected)
  })
})

describe("a selected file", () => {
  it("that is too long to be shown is left out by name, and the others are shown", async () => {
    await bench.write({ "a.ts": "shown\n", "long.txt": "line\n".repeat(2_000_000), "b.bin": Buffer.from([0, 1]) })
    const result = await answered("Fine.", { files: ["a.ts", "long.txt", "b.bin", "gone.ts"] })
    expect(result).toMatchObject({ invalid_files: ["long.txt", "gone.ts"], binary_files: ["b.bin"] })
    expect(result.notice).toContain("long.txt")
    expect((await bench.state()).chat.selected).toEqual(["a.ts"])
    expect(JSON.stringify(result.prompt?.messages)).toContain("shown")
  })
})
