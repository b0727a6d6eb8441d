import { afterEach, beforeEach, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../../../fixtures/scripted-model.ts"
import { block, type ChatBench, openChatBench } from "./chat-bench.ts"

let bench: ChatBench
beforeEach(async () => {
  bench = await openChatBench()
})
afterEach(() => bench.close())

/** Resolves to the results of the answer's edits, by file. */
async function statusesOf(message: string, files: string[], answer: string) {
  const runId = await bench.ask(message, { files })
  await bench.execute(
    runId,
    createScriptedProvider(() => textAnswer(answer)),
  )
  const { result } = (await bench.messages()).at(-1) ?? {}
  return Object.fromEntries(result?.edit_results.map(({ file_path, status }) => [file_path, status]) ?? [])
}

const PROTECTED = [
  ".mcp.json",
  "opencode.json",
  ".husky/pre-commit",
  ".github/workflows/ci.yml",
  "sub/.envrc",
  "AGENTS.md",
]
const all = PROTECTED.map((path) => block(path, "", "new\n")).join("")

it("writes no file unasked that starts programs or instructs agents, and selects none", async () => {
  const answer = all + block("a.txt", "", "new\n")
  const statuses = await statusesOf("Add what a project needs", [], answer)
  expect(statuses).toEqual({ ...Object.fromEntries(PROTECTED.map((path) => [path, "skipped"])), "a.txt": "applied" })
  expect(await bench.files()).toEqual({ "a.txt": "new\n" })
  const [, said] = await bench.messages()
  expect(said?.result?.edit_results[0]?.message).toContain("select the file or name it in a message")
  expect(said?.result?.files_auto_added).toEqual(["a.txt"])
})

it.each([
  ["by its path", "Please write .github/workflows/ci.yml, too.", ".github/workflows/ci.yml"],
  ["by its name", "Is `AGENTS.md` missing?", "AGENTS.md"],
  ["by its folder", "Fill .husky/ with hooks", ".husky/pre-commit"],
])("writes the one that a message names %s", async (_, message, path) => {
  const statuses = await statusesOf(message, [], all)
  for (const each of PROTECTED) expect([each, statuses[each]]).toEqual([each, each === path ? "applied" : "skipped"])
})

it("writes a file that a person has selected", async () => {
  await bench.write({ ".mcp.json": "{}\n" })
  const edit = block(".mcp.json", "{}\n", "[]\n")
  expect(await statusesOf("Change it", [], edit)).toEqual({ ".mcp.json": "skipped" })
  expect(await statusesOf("Change it", [".mcp.json"], edit)).toEqual({ ".mcp.json": "applied" })
})
