import type { ModelEvent } from "@switchyard/core/models/provider"
import { systemClock } from "@switchyard/core/time"
import { createDemoModel } from "@switchyard/functions/demo-model"
import { afterAll, beforeAll, expect, it } from "vitest"
import { answerOf, isCoordinator, teamAnswer } from "../core/work/teams/team-model.ts"
import { createScriptedProvider } from "../fixtures/scripted-model.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"

/** A team whose coordinator first asks a person a question, and puts its nodes into one stage. */
const model = createScriptedProvider((request) => {
  const { messages, tools } = request
  if (!isCoordinator(tools)) return teamAnswer(["a", "b"], request)
  if (messages.length === 1) return answerOf([["ask_human", { question: "Which language?" }]], 1)
  return teamAnswer(["a", "b"], { ...request, messages: messages.toSpliced(1, 2) }).map(inStage)
})

function inStage(event: ModelEvent): ModelEvent {
  if (event.type !== "tool_call" || event.call.name !== "create_work_node") return event
  const args = { ...(event.call.args as object), stage: "Write" }
  return { ...event, call: { ...event.call, args, rawArguments: JSON.stringify(args) } }
}

inChromium("a team", ({ visit }) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace({ model })
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  it("is given a goal, asks, and moves over its board", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByText("Team", { exact: true }).click()
    await page.getByLabel("The goal").fill("Two files")
    await page.getByText("Budget", { exact: true }).click()
    await page.getByRole("textbox", { name: "Minutes of work" }).fill("90")
    await page.getByRole("button", { name: "Start" }).click()
    await page.waitForURL(/\/team$/)
    await page.getByTitle("Team's total usage").getByText("of 90 minutes").waitFor()
    await page.locator("#main").getByText("Needs you").waitFor()
    await page.getByText("Which language?").waitFor()
    await page.getByRole("button", { name: "Add trigger" }).click()
    await page.getByLabel("Message to the coordinator").fill("Look again")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByText(/0 7 \* \* \*.*Next/).waitFor()
    await page.getByRole("region", { name: "Triggers" }).getByRole("button", { name: "Cancel" }).click()
    await page.getByText(/0 7 \* \* \*.*Cancelled/).waitFor()
    await page.getByLabel("Your answer").fill("English")
    await page.getByRole("button", { name: "Answer", exact: true }).click()
    await page.getByText("Finished · 2 of 2 nodes").waitFor()
    await page.getByText("All are there.").waitFor()
    const nodes = page.getByRole("list", { name: "Nodes" }).getByRole("article")
    expect(await nodes.count()).toBe(2)
    // Shows the board at an earlier moment.
    const { moment, line } = onRunScreen(page)
    const asked = new Set<string>()
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (searchParams.has("at_seq")) asked.add(pathname.split("/").at(-1) ?? "")
    })
    await moment.fill("1")
    await page.getByText("No team yet").waitFor()
    const [, id] = /\/s\/([^/]+)\/team/.exec(page.url()) ?? []
    const { events } = await place.ask("GET", `/api/v1/sessions/${id}/events?limit=1000`)
    const seqOf = (wanted: string) => events.find(({ type }: { type: string }) => type === wanted).seq
    await moment.fill(String(seqOf("work_node_created")))
    await page.getByText("Working · 0 of 1 nodes").waitFor()
    const stages = page.getByRole("list", { name: "Stages" })
    await stages.getByText("Not started · 0 of 1").waitFor()
    await moment.fill(String(seqOf("work_node_completed")))
    await page.getByText("· 1 of 2 nodes").waitFor()
    await stages.getByText("Running · 1 of 2").waitFor()
    await page.getByText("All are there.").waitFor({ state: "detached" })
    expect(await page.getByRole("textbox", { name: "Message" }).getAttribute("readonly")).not.toBeNull()
    // The page asks the server only for the board and the messages of that moment.
    expect([...asked].sort()).toEqual(["board", "messages"])
    await line.getByRole("button", { name: "Live" }).click()
    await page.getByText("Finished · 2 of 2 nodes").waitFor()
    await stages.getByText("Not reviewed · 2 of 2").waitFor()
    expect(await nodes.count()).toBe(2)
    await page.getByRole("link", { name: "b.txt" }).click()
    await page.waitForURL(/files\/nodes\/b\/published\/b\.txt$/)
    const [, told] = model.requests.filter(({ tools }) => isCoordinator(tools))
    expect(told?.messages.at(-1)).toMatchObject({ role: "tool", content: "English" })
  })

  it("gives a follow-up the permissions of the team before, and the demo's program again", async () => {
    await using demo = await openPlace({ model: createDemoModel({ ...systemClock, sleep: async () => {} }) })
    const goal = { goal: "A page about tea", permission_mode: "accept_edits" }
    const { id, run_id } = await demo.ask("POST", "/api/v1/teams", goal)
    const board = () => demo.ask("GET", `/api/v1/teams/${id}/board`)
    await using visitor = await visit(`${demo.url}/s/${id}/team`)
    const { page } = visitor
    await page.getByRole("textbox", { name: "Next goal" }).fill("A page about coffee")
    expect((await board()).workers).toContainEqual(expect.objectContaining({ type: "mock" }))
    await page.getByRole("button", { name: "Start" }).click()
    await expect.poll(async () => (await board()).team.run_id).not.toBe(run_id)
    const next = { goal: "A page about coffee", mode: "finite", permission_mode: "accept_edits" }
    expect((await board()).team).toMatchObject(next)
  })
})
