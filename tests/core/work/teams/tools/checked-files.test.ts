import type { Message, ModelRequest } from "@switchyard/core/models/provider"
import { afterEach, beforeEach, expect, it } from "vitest"
import { createScriptedProvider } from "../../../../fixtures/scripted-model.ts"
import { openTeamBench, type TeamBench } from "../team-bench.ts"
import { answerOf, isCoordinator } from "../team-model.ts"

let bench: TeamBench
beforeEach(async () => {
  bench = await openTeamBench()
})
afterEach(() => bench.close())

type Call = Parameters<typeof answerOf>[0][number]

/** Returns a conversation's calls with their results, in order. */
function callsOf(messages: readonly Message[]) {
  return messages.flatMap((message, at) =>
    message.role === "assistant"
      ? (message.toolCalls ?? []).map(({ name }, index) => ({
          name,
          result: String(messages[at + 1 + index]?.content),
        }))
      : [],
  )
}

/**
 * Creates a team's model. Workers make these calls at their nodes in order, and the coordinator finishes as often as
 * needed.
 */
function modelOf(work: Record<string, Call[]>, heard: { finish: string[]; work: string[] }) {
  const ids = Object.keys(work)
  return createScriptedProvider(({ messages, tools }: ModelRequest) => {
    const calls = callsOf(messages)
    if (!isCoordinator(tools)) {
      const [, id = ""] = /Your node is (\w+)/.exec(String(messages[0]?.content)) ?? []
      heard.work = calls.map(({ result }) => result)
      return answerOf([work[id]?.[calls.length] ?? ["publish", { summary: "Done." }]], messages.length)
    }
    heard.finish = calls.filter(({ name }) => name === "finish").map(({ result }) => result)
    if (calls.length === 0) {
      const nodes = ids.flatMap((id): Call[] => [
        ["create_work_node", { node_id: id, task: `Write ${id}` }],
        ["spawn_worker", { name: `W${id}`, role: "Writes" }],
        ["assign_worker", { node_id: id, worker_id: `W${id}` }],
      ])
      return answerOf(nodes, messages.length)
    }
    const said = messages.flatMap(({ role, content }) => (role === "user" ? [String(content)] : []))
    const isDone = ids.every((id) => said.some((text) => text.includes(`${id} is completed.`)))
    return answerOf(isDone ? [["finish", { summary: "All are there." }]] : [], messages.length)
  })
}

const write = (path: string, content: string): Call => ["write_file", { path, content }]
const page =
  '<!doctype html>\n<html lang="en"><head><title>Tea</title><link rel="stylesheet" href="style.css"></head><body></body></html>\n'

it("hands a file back to its worker with what is certainly wrong in it, until that is mended", async () => {
  const heard = { finish: [""], work: [""] }
  await bench.start()
  const fenced = '```json\n[{"name": "Assam"}]\n```\n'
  const mended = '[{"name": "Assam"}]\n'
  const publish: Call = ["publish", { summary: "Five teas." }]
  await bench.drive(modelOf({ data: [write("teas.json", fenced), publish, write("teas.json", mended)] }, heard))
  expect(heard.work[0]).toMatch(/Wrote teas\.json.*\nBut it has faults.*\n- teas\.json: .*fence/i)
  expect(heard.work[1]).toMatch(/Nothing is published, because these files have faults:\n- teas\.json: /)
  expect((await bench.files())["teas.json"]).toBe(mended)
  expect(heard.finish).toEqual([])
  expect(await bench.eventsOf("files_checked")).toMatchObject([{ fault_count: 0 }])
})

it("takes files with faults the third time, and finishes only after the coordinator has heard of them", async () => {
  const heard = { finish: [""], work: [""] }
  await bench.start()
  await bench.drive(modelOf({ code: [write("teas.mjs", "export const teas = [\n")] }, heard))
  expect(heard.work.map((text) => text.includes("Nothing is published"))).toEqual([false, true, true])
  expect(heard.finish).toEqual([expect.stringMatching(/Not finished.*faults:\n- teas\.mjs: /s)])
  const checked = await bench.eventsOf("files_checked")
  expect(checked.map(({ fault_count }) => fault_count)).toEqual([1, 1])
  expect(await bench.eventsOf("team_finished")).toHaveLength(1)
})

it("checks what the nodes made together, and nothing that was wrong before the team", async () => {
  const heard = { finish: [""], work: [""] }
  await bench.start()
  // Each file is valid alone, because another node may create the stylesheet.
  await bench.drive(
    modelOf({ page: [write("index.html", page)], look: [write("styles.css", "body { margin: 0; }\n")] }, heard),
  )
  expect(heard.work).not.toContainEqual(expect.stringContaining("has faults"))
  expect(heard.finish[0]).toMatch(/- index\.html: .*style\.css/)
  await bench.recover()
  const again = { finish: [""], work: [""] }
  await bench.start("One more")
  await bench.drive(modelOf({ words: [write("words.md", "# Tea\n")] }, again))
  expect(again.finish).toEqual([])
})

it("compares a file with the one in whose place it comes, which another node may have made", async () => {
  const heard = { finish: [""], work: [""] }
  await bench.start()
  const long = Array.from({ length: 200 }, (_, at) => `.tea-${at} { color: #1f4d3a; }`).join("\n")
  await bench.drive(modelOf({ look: [write("style.css", long)] }, heard))
  await bench.recover()
  await bench.start("Again")
  await bench.drive(
    modelOf({ again: [write("style.css", ".tea-1 { color: red; }\n"), write("style.css", `${long}\n`)] }, heard),
  )
  expect(heard.work[0]).toContain("But it has faults")
})

const edit = (path: string, search: string, replace: string): Call => [
  "edit_file",
  { path, edits: [{ search, replace }] },
]

it("edits a file of the project, of another node or of the worker's own, each time as it is by then", async () => {
  const heard = { finish: [""], work: [""] }
  await bench.start()
  await bench.drive(modelOf({ first: [write("a.txt", "one\ntwo\nthree\n")] }, heard))
  await bench.recover()
  await bench.start("Again")
  const calls = [
    edit("a.txt", "threee", "five"),
    edit("a.txt", "one", "1"),
    edit("a.txt", "two", "2"),
    write("b.txt", "b\n"),
    edit("b.txt", "b", "B"),
    write("c.txt", "c\n"),
  ]
  await bench.drive(modelOf({ again: calls }, heard))
  expect(heard.work[0]).toMatch(/The text to search for isn't in the file.*from line 3\?\nthree$/s)
  expect(heard.work.slice(1)).not.toContainEqual(expect.stringContaining("ERROR"))
  const files = await bench.files()
  expect(files).toMatchObject({ "a.txt": "1\n2\nthree\n", "b.txt": "B\n", "c.txt": "c\n" })
  expect(Object.keys(files).filter((path) => path.includes("/scratch/"))).toEqual([])
})

it("writes over an edit, and tells what an edit broke before it is published", async () => {
  const heard = { finish: [""], work: [""] }
  await bench.start()
  const calls = [
    write("a.mjs", "export const a = (1)\n"),
    edit("a.mjs", "(1)", "(1"),
    ["publish", { summary: "Done." }] as Call,
    write("a.mjs", "export const a = 2\n"),
    edit("a.mjs", "2", "3"),
  ]
  await bench.drive(modelOf({ code: calls }, heard))
  expect(heard.work[1]).toMatch(/Edited a\.mjs\.\nBut it has faults/)
  expect(heard.work[2]).toContain("Nothing is published")
  expect((await bench.files())["a.mjs"]).toBe("export const a = 3\n")
})
