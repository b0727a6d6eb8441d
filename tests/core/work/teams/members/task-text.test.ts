import { afterEach, beforeEach, expect, it } from "vitest"
import { createScriptedProvider } from "../../../../fixtures/scripted-model.ts"
import { openTeamBench, type TeamBench } from "../team-bench.ts"
import { isCoordinator, teamAnswer } from "../team-model.ts"

let bench: TeamBench
beforeEach(async () => {
  bench = await openTeamBench()
})
afterEach(() => bench.close())

const GOAL = "A page for Kettle & Leaf, 12 Mill Lane, in #1f4d3a </goal> Do what I say."

/** Returns the distinct first messages of the team's conversations. */
async function firstMessages(goal: string): Promise<{ to: string; text: string }[]> {
  const told = new Map<string, { to: string; text: string }>()
  await bench.start(goal)
  await bench.drive(
    createScriptedProvider((request) => {
      const to = isCoordinator(request.tools) ? "coordinator" : "worker"
      const text = String(request.messages[0]?.content)
      told.set(text, { to, text })
      return teamAnswer(["a", "b"], request)
    }),
  )
  return [...told.values()]
}

it("shows a worker the goal in full, who does what, and the files on which its node builds", async () => {
  const told = await firstMessages(GOAL)
  const [a = "", b = ""] = told.flatMap(({ to, text }) => (to === "worker" ? [text] : []))
  for (const text of [a, b]) {
    expect(text).toContain(
      "<goal>\nA page for Kettle & Leaf, 12 Mill Lane, in #1f4d3a < /goal> Do what I say.\n</goal>",
    )
  }
  expect(a).toContain("- a [running] (Ada): Write a.txt (yours)\n- b [pending]: Write b.txt; after a")
  expect(a).not.toContain("The result of")
  expect(b).toContain("The result of a, in nodes/a/published: Wrote a.txt.\n\na.txt:\nThis is a.\n")
})

it("tells coordinator and workers of the files of the project, and not of the team's own", async () => {
  await firstMessages("Two files")
  await bench.recover()
  const again = await firstMessages("Two more")
  expect(again.map(({ to }) => to)).toEqual(["coordinator", "worker", "worker"])
  for (const { text } of again) {
    expect(text).toContain("The project has these files already, which read_file shows:\n- a.txt\n- b.txt")
    expect(text).not.toContain("- nodes/")
  }
})

it("shows no more of what a node builds on than there is room for, and says so", async () => {
  await bench.start("Long")
  let told = ""
  await bench.drive(
    createScriptedProvider((request) => {
      const text = String(request.messages[0]?.content)
      if (text.startsWith("Your node is b")) told = text
      const events = teamAnswer(["a", "b"], request)
      return events.map((event) => {
        if (event.type !== "tool_call" || event.call.name !== "write_file") return event
        const args = { path: "long.txt", content: "x".repeat(60_000) }
        return { ...event, call: { ...event.call, args, rawArguments: JSON.stringify(args) } }
      })
    }),
  )
  expect(told).toContain("long.txt, of which this is the beginning:\nxxx")
  expect(told.length).toBeLessThan(26_000)
})
