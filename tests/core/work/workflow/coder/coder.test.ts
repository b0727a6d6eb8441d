import type { ModelRequest } from "@switchyard/core/models/provider"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type ScriptedAnswer, textAnswer, toolAnswer } from "../../../../fixtures/scripted-model.ts"
import { contentOf, lastMessage, modelFor, subjectOf } from "../model.ts"
import { openStudio, type Studio } from "../studio.ts"

let studio: Studio
beforeEach(async () => {
  studio = await openStudio()
})
afterEach(() => studio.close())

/** Creates a model that plans `a.ts`. Asked to write it, the model gives these answers in order, then the usual one. */
function coderSays(...turns: (ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer))[]) {
  return modelFor(["a.ts"], (request) => {
    const turn = subjectOf(request) === "a.ts" ? turns.shift() : undefined
    return typeof turn === "function" ? turn(request) : turn
  })
}

/** Executes a run. Resolves to the run and the last message that the coder received in each turn. */
async function told(model: ReturnType<typeof coderSays>) {
  const runId = await studio.start()
  await studio.execute(runId, model)
  const turns = model.requests.filter((request) => subjectOf(request) === "a.ts").map(lastMessage)
  return { turns, run: await studio.run(runId) }
}

const write = (path: string, content = contentOf(path)) => toolAnswer("write_file", { path, content })

describe("the coder's tools", () => {
  const broken = { id: "c", name: "write_file", args: undefined, rawArguments: '{"path": "a.ts", "content": "cut' }

  it.each<[string, ScriptedAnswer, string]>([
    [
      "arguments that are no JSON",
      [
        { type: "tool_call", call: broken },
        { type: "end", stopReason: "tool_calls" },
      ],
      "aren't complete, valid JSON.",
    ],
    [
      "a call that was cut off",
      [
        { type: "tool_call", call: broken },
        { type: "end", stopReason: "max_tokens" },
      ],
      "cut off at the output limit",
    ],
    ["arguments of the wrong shape", toolAnswer("write_file", { path: "a.ts" }), "content"],
    ["a tool that there isn't", toolAnswer("run_shell", { command: "ls" }), "There is no tool run_shell"],
    ["a path that leaves", write("../a.ts"), "segment"],
    ["an absolute path", toolAnswer("read_file", { path: "/etc/passwd" }), "There is no file at this path."],
    ["a text that is too long", write("a.ts", "x".repeat(400_001)), "longer than 400000 characters"],
    ["a text with a NUL", write("a.ts", "a\0b"), "NUL"],
    ["a file that there isn't", toolAnswer("read_file", { path: "b.ts" }), "There is no file at this path."],
    ["a folder instead of a file", toolAnswer("read_file", { path: "src" }), "There is no file at this path."],
    ["a folder that there isn't", toolAnswer("list_files", { path: "lib" }), "There is no such folder."],
    ["a file instead of a folder", toolAnswer("list_files", { path: "src/x.ts" }), "is a file, not a folder"],
    ["a binary file", toolAnswer("read_file", { path: "logo.png" }), "isn't a text file"],
    ["a file where a folder is", write("src"), "src is a folder of the project"],
    ["a file in a file", write("src/x.ts/y.ts"), "src/x.ts, which is a file"],
  ])("answer %s with an error, and the model goes on", async (_, answer, words) => {
    await studio.write({ "src/x.ts": "x\n", "logo.png": "\0PNG" })
    const model = coderSays(answer, write("a.ts"))
    const { run } = await told(model)
    const result = model.requests.at(-1)?.messages.find(({ role }) => role === "tool")
    expect(result).toMatchObject({ isError: true, content: expect.stringMatching(/^ERROR: /) })
    expect(result?.content).toContain(words)
    expect(run.status).toBe("completed")
    expect((await studio.files())["a.ts"]).toBe(contentOf("a.ts"))
    const [failed] = await studio.eventsOf("tool_call_finished")
    expect(failed).toMatchObject({ exit_code: 1, llm_summary: expect.stringMatching(/^ERROR: /) })
  })

  it("see what the step wrote, before anyone else does", async () => {
    const seen: Record<string, string>[] = []
    const { turns } = await told(
      coderSays(
        write("lib/b.ts", "mine\n"),
        toolAnswer("read_file", { path: "lib/b.ts" }),
        toolAnswer("list_files", {}),
        toolAnswer("list_files", { path: "./lib/" }),
        () => [studio.files().then((files) => seen.push(files)), ...write("a.ts")] as ScriptedAnswer,
      ),
    )
    expect(turns.slice(1, 5).map(({ content }) => content)).toEqual([
      "Saved lib/b.ts (5 characters).",
      "mine\n",
      "lib/b.ts",
      "lib/b.ts",
    ])
    expect(seen).toEqual([{}])
    expect(await studio.files()).toEqual({ "a.ts": contentOf("a.ts"), "lib/b.ts": "mine\n" })
    expect(await studio.eventsOf("workspace_committed")).toHaveLength(1)
  })

  it("say so where there are no files yet, and answer several calls of one turn in their order", async () => {
    const calls = [
      { id: "1", name: "list_files", args: {}, rawArguments: "{}" },
      { id: "2", name: "write_file", args: { path: "b.ts", content: "1" }, rawArguments: "" },
      { id: "3", name: "write_file", args: { path: "b.ts", content: "2" }, rawArguments: "" },
      { id: "4", name: "read_file", args: { path: "b.ts" }, rawArguments: "" },
    ]
    const turn: ScriptedAnswer = [
      ...calls.map((call) => ({ type: "tool_call" as const, call })),
      { type: "end", stopReason: "tool_calls" },
    ]
    const model = coderSays(turn, write("a.ts"))
    await told(model)
    expect(model.requests[3]?.messages.slice(2)).toEqual([
      { role: "tool", toolCallId: "1", content: "No files were found." },
      { role: "tool", toolCallId: "2", content: "Saved b.ts (1 characters)." },
      { role: "tool", toolCallId: "3", content: "Saved b.ts (1 characters)." },
      { role: "tool", toolCallId: "4", content: "2" },
    ])
    expect(await studio.files()).toEqual({ "a.ts": contentOf("a.ts"), "b.ts": "2" })
  })
})

describe("a step of the coder", () => {
  it("fails without blaming the model when the store has lost a file", async () => {
    await studio.write({ "b.ts": "lost\n" })
    const lose = () => studio.stores.blobs.remove(`s/${studio.sid}/1/blobs/`)
    const read = toolAnswer("read_file", { path: "b.ts" }) as []
    const { turns, run } = await told(coderSays(() => [lose(), ...read] as ScriptedAnswer))
    expect(turns).toHaveLength(1)
    expect(run.status).toBe("failed")
  })

  it("reminds the model of a file that it did not save, and asks for the tool", async () => {
    const model = coderSays(textAnswer("Here you go."), write("a.ts"))
    const { turns, run } = await told(model)
    expect(turns[1]).toMatchObject({ role: "user", content: expect.stringContaining("a.ts has not been saved") })
    expect(turns[1]?.content).toContain("11 calls are left")
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([
      undefined,
      undefined,
      undefined,
      { tool: "write_file" },
    ])
    expect(run.status).toBe("completed")
  })

  it("takes the only fence of an answer for the file that a tool was meant to save", async () => {
    const { turns, run } = await told(coderSays(textAnswer("Here it is:\n```ts\ncode\n```\nEnjoy!")))
    expect(turns).toHaveLength(1)
    expect(run.status).toBe("completed")
    expect(await studio.files()).toEqual({ "a.ts": "code\n" })
    expect((await studio.eventsOf("tool_call_started")).map(({ path }) => path)).toEqual(["a.ts"])
  })

  it("never takes a fence for a file that exists, of which it may be a part", async () => {
    await studio.write({ "a.ts": "the whole\n" })
    const { turns } = await told(coderSays(textAnswer("I added:\n```ts\ncode\n```"), write("a.ts", "both\n")))
    expect(turns[1]?.content).toContain("keep_file")
    expect(await studio.files()).toEqual({ "a.ts": "both\n" })
  })

  it.each([
    ["as they are", (call: string) => call],
    ["as its template would have them", (call: string) => `I write it.\n<tool_call>\n${call}\n</tool_call>`],
    ["in a fence", (call: string) => `\`\`\`json\n${call}\n\`\`\``],
    ["as other servers have them", (call: string) => `[{"type": "function", "function": ${call}}]`],
  ])("takes calls that the model writes into its text %s", async (_, asText) => {
    const call = JSON.stringify({ name: "write_file", arguments: { path: "a.ts", content: "code\n" } })
    const { turns } = await told(coderSays(textAnswer(asText(call))))
    expect(turns).toHaveLength(1)
    expect(await studio.files()).toEqual({ "a.ts": "code\n" })
  })

  it("takes written calls of a file that exists, and says what was wrong with one", async () => {
    await studio.write({ "a.ts": "old\n" })
    const edit = (search: string) =>
      JSON.stringify({ name: "edit_file", parameters: { path: "a.ts", edits: [{ search, replace: "new" }] } })
    const { turns } = await told(coderSays(textAnswer(edit("nowhere")), textAnswer(edit("old"))))
    expect(turns).toHaveLength(2)
    expect(turns[1]?.content).toContain("Nothing was changed.")
    expect(await studio.files()).toEqual({ "a.ts": "new\n" })
  })

  it("takes a text out of the fence that all of it stands in, and leaves a Markdown file its own", async () => {
    const readme = toolAnswer("write_file", { path: "a.md", content: "```sh\nnpm start\n```\n" })
    const { turns } = await told(coderSays(readme, write("a.ts", "\n```ts\nexport const a = 1\n```\n")))
    expect(turns).toHaveLength(2)
    expect(await studio.files()).toEqual({ "a.md": "```sh\nnpm start\n```\n", "a.ts": "export const a = 1\n" })
  })

  it("takes a README out of the Markdown fence that all of it stands in, in a call and in a text", async () => {
    const readme = "# A\n\n```sh\nnpm start\n```\n"
    const wrapped = `\`\`\`markdown\n${readme}\`\`\``
    await told(coderSays(toolAnswer("write_file", { path: "README.md", content: wrapped }), write("a.ts")))
    expect((await studio.files())["README.md"]).toBe(readme)
  })

  it("says why its file was not written", async () => {
    await told(coderSays(...Array.from({ length: 18 }, () => write("a.ts", "x".repeat(400_001)))))
    expect((await studio.eventsOf("run_failed"))[0]?.message).toContain(
      "The model didn't write the file a.ts. Its last answer couldn't be used: The text is longer than 400000 characters.",
    )
  })

  it("is attempted once more, in a new conversation and without the files of the first", async () => {
    const { turns, run } = await told(
      coderSays(write("b.ts"), textAnswer("Done."), textAnswer("Really done."), write("a.ts")),
    )
    expect(turns).toHaveLength(4)
    expect(turns[2]?.content).toContain("You saved b.ts, but the file of this step is a.ts.")
    expect(turns[3]?.content).toMatch(/^File: a\.ts/)
    expect(run.status).toBe("completed")
    expect(await studio.files()).toEqual({ "a.ts": contentOf("a.ts") })
  })

  it("fails if the second attempt does not save it either, and nothing of the step appears", async () => {
    const idle = [textAnswer("Done."), textAnswer("Really done.")]
    const { turns, run } = await told(coderSays(...idle, write("b.ts"), ...idle))
    expect(turns).toHaveLength(5)
    expect(run.status).toBe("failed")
    expect((await studio.eventsOf("run_failed"))[0]).toMatchObject({
      error_type: "incomplete",
      message: "1 of 1 file couldn't be written.\na.ts: The model didn't write the file a.ts. It saved b.ts instead.",
    })
    expect(await studio.files()).toEqual({})
  })

  it("leaves a file as it is if the model says why, and says so in the log", async () => {
    await studio.write({ "a.ts": "// good already\n" })
    const { turns, run } = await told(coderSays(toolAnswer("keep_file", { reason: "It is green." })))
    expect(turns).toHaveLength(1)
    expect(run.status).toBe("completed")
    expect(await studio.files()).toEqual({ "a.ts": "// good already\n" })
    expect((await studio.eventsOf("workspace_committed")).map(({ step }) => step)).toEqual([undefined, "coder:0:a.ts"])
    const [, , finished] = await studio.eventsOf("node_finished")
    expect(finished?.update).toMatchObject({ file_path: "a.ts", left_as_is: "It is green." })
    expect(await studio.eventsOf("tool_call_finished")).toMatchObject([
      { llm_summary: "Left a.ts as it is: It is green." },
    ])
  })

  it("fails where the model only claims to have changed a file", async () => {
    await studio.write({ "a.ts": "old\n" })
    const claims = Array.from({ length: 4 }, () => textAnswer("I have updated a.ts."))
    const { turns, run } = await told(coderSays(...claims))
    expect(turns).toHaveLength(4)
    expect(run.status).toBe("failed")
  })

  it("can't leave a file that there isn't", async () => {
    const { turns, run } = await told(coderSays(toolAnswer("keep_file", { reason: "Fine." }), write("a.ts")))
    expect(turns[1]).toMatchObject({ role: "tool", isError: true })
    expect(run.status).toBe("completed")
  })

  it("ends with the call that saves its file, whatever the model would do next", async () => {
    const endless = Array.from({ length: 50 }, (_, n) => write("a.ts", `${n}`))
    const { turns, run } = await told(coderSays(write("b.ts"), ...endless))
    expect(turns).toHaveLength(2)
    expect(run.status).toBe("completed")
    expect(await studio.files()).toEqual({ "a.ts": "0", "b.ts": contentOf("b.ts") })
  })

  it.each([[[]], [[textAnswer("Let me see.")]]])("fails a model that only ever looks around", async (first) => {
    await studio.write({ "a.ts": "there\n" })
    const endless = Array.from({ length: 50 }, (_, n) => toolAnswer("read_file", { path: `${n}.ts` }))
    const { turns, run } = await told(coderSays(...first, ...endless))
    expect(turns).toHaveLength(18)
    expect(turns[9]?.content).toContain("3 calls are left")
    expect(turns[11]?.content).toContain("One call is left")
    expect(run.status).toBe("failed")
  })
})

describe("a file that a person changes during a step", () => {
  const person = (text: string) => studio.write({ "a.ts": text })
  /** Delays the answer until the person's edit is done. */
  const onceDone = (edit: Promise<unknown>, answer: ScriptedAnswer) => [edit, ...(answer as [])] as ScriptedAnswer

  it("is shown to the model, which goes on from there", async () => {
    await person("old\n")
    const { turns, run } = await told(
      coderSays(() => onceDone(person("theirs\n"), write("a.ts", "mine\n")), write("a.ts", "// theirs and mine\n")),
    )
    expect(turns[1]).toMatchObject({ role: "user" })
    expect(turns[1]?.content).toContain("theirs\n")
    expect(run.status).toBe("completed")
    expect(await studio.files()).toEqual({ "a.ts": "// theirs and mine\n" })
    expect((await studio.eventsOf("workspace_committed")).map(({ step }) => step)).toEqual([
      undefined,
      undefined,
      "coder:0:a.ts",
    ])
  })

  it("is theirs if they made it first", async () => {
    const { turns } = await told(
      coderSays(() => onceDone(person("theirs\n"), write("a.ts", "mine\n")), write("a.ts", "both\n")),
    )
    expect(turns[1]?.content).toContain("theirs\n")
    expect(await studio.files()).toEqual({ "a.ts": "both\n" })
  })

  it("ends in a conflict only if it never ends", async () => {
    let edits = 0
    const race = Array.from({ length: 30 }, () => [
      () => onceDone(person(`${edits++}\n`), write("a.ts", "mine\n")),
    ]).flat()
    const { turns, run } = await told(coderSays(...race))
    expect(turns).toHaveLength(12)
    expect(run.status).toBe("failed")
    expect(await studio.files()).toEqual({ "a.ts": "11\n" })
  })

  it("doesn't matter if it is another file", async () => {
    const { turns, run } = await told(coderSays(() => onceDone(studio.write({ "b.ts": "b\n" }), write("a.ts"))))
    expect(turns).toHaveLength(1)
    expect(run.status).toBe("completed")
    expect(await studio.files()).toEqual({ "a.ts": contentOf("a.ts"), "b.ts": "b\n" })
  })
})
