import type { ModelEvent } from "@switchyard/core/models/provider"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { isCoordinator } from "../core/work/teams/team-model.ts"
import { createScriptedProvider, textAnswer, toolAnswer } from "../fixtures/scripted-model.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"
import type { Visitor } from "./harness/visit.ts"

let workerCalls = 0
/** A coordinator that leaves the board to people, and a worker whose first answer never ends. */
const model = createScriptedProvider(({ tools, messages }) => {
  if (isCoordinator(tools)) return textAnswer("I wait.")
  const said = messages.map(({ content }) => String(content))
  if (said[0]?.includes("Make a file by a command")) {
    if (messages.length > 1) return toolAnswer("publish", { summary: "It is made." })
    return toolAnswer("bash", { command: "echo made > made.txt" })
  }
  if (++workerCalls === 1) return [new Promise(() => {})]
  return toolAnswer("publish", { summary: "It is done." }).map(withUsage)
})

function withUsage(event: ModelEvent): ModelEvent {
  if (event.type !== "usage") return event
  return { ...event, usage: { ...event.usage, input: 800, output: 50 } }
}

inChromium("the board of a team, by hand,", ({ visit }) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace({ model })
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  const startTeam = async (): Promise<string> => (await place.ask("POST", "/api/v1/teams", { goal: "Two files" })).id
  const open = async (id: string, visitor: Visitor = {}) => visit(`${place.url}/s/${id}/team`, visitor)
  const card = (page: Page, id: string) =>
    page.getByRole("article").filter({ has: page.getByRole("button", { name: id, exact: true }) })

  it("is staffed, cancelled, retried and watched with the keyboard and the pointer", async () => {
    const id = await startTeam()
    await using visitor = await open(id)
    const { page } = visitor
    const dialog = page.getByRole("dialog")
    await page.getByRole("button", { name: "Add worker" }).click()
    await dialog.getByLabel("Name").fill("Mia")
    await dialog.getByLabel("Role").fill("Writes about tea")
    await page.keyboard.press("Enter")
    await dialog.waitFor({ state: "detached" })
    const mia = page.getByRole("list", { name: "Members" }).getByRole("listitem").filter({ hasText: "Mia" })
    await mia.getByText("Idle").waitFor()

    await page.getByRole("button", { name: "Add node" }).click()
    await dialog.getByLabel("Task", { exact: true }).fill("Write the words")
    await dialog.getByLabel("Name", { exact: true }).fill("words")
    await dialog.getByLabel("Tokens").fill("1,000")
    await dialog.getByLabel("Minutes of work").fill("20")
    await dialog.getByRole("button", { name: "Add", exact: true }).click()
    await dialog.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Add node" }).click()
    await dialog.getByLabel("Task", { exact: true }).fill("Make a page of the words")
    await dialog.getByLabel("Name", { exact: true }).fill("words")
    await dialog.getByRole("button", { name: "Add", exact: true }).click()
    await dialog.getByText("There is already a node words.").waitFor()
    await dialog.getByLabel("Name", { exact: true }).fill("page")
    await dialog.getByLabel("words").check()
    await dialog.getByRole("button", { name: "Add", exact: true }).click()
    await card(page, "page").waitFor()

    // A node that waits for another one can't be assigned yet.
    await card(page, "page").getByRole("button").click()
    await dialog.getByText("Starts after words.").waitFor()
    expect(await dialog.getByRole("button", { name: /Assign to/ }).count()).toBe(0)
    await page.keyboard.press("Escape")

    await card(page, "words").dragTo(mia)
    await mia.getByText("words").waitFor()
    await card(page, "words").and(page.locator("[data-status=running]")).waitFor()
    // If the node were canceled before its worker called the model, the retry would make the first call, which never
    // ends.
    await until(async () => workerCalls).toBe(1)
    await card(page, "words").getByRole("button").click()
    await dialog.getByRole("button", { name: "Cancel node" }).click()
    await card(page, "words").and(page.locator("[data-status=failed]")).waitFor()

    await card(page, "words").getByRole("button").focus()
    await page.keyboard.press("Enter")
    await dialog.getByRole("button", { name: "Retry" }).press("Enter")
    await card(page, "words").and(page.locator("[data-status=completed]")).waitFor()
    await card(page, "words").getByText("850 of 1,000 tokens").waitFor()

    await card(page, "page").getByRole("button").focus()
    await page.keyboard.press("Enter")
    await dialog.getByRole("button", { name: "Assign to Mia" }).press("Enter")
    await card(page, "page").and(page.locator("[data-status=completed]")).waitFor()
    await page.getByTitle("Team's total usage").getByText("1,700 tokens").waitFor()
    await mia.getByText("1,700 tokens").waitFor()
    const said = page.getByRole("log", { name: "Messages" }).getByRole("article")
    const count = await said.count()
    await page.getByLabel("Kind").selectOption("Goal")
    await until(() => said.allInnerTexts()).toEqual([expect.stringContaining("Two files")])
    await page.getByLabel("Kind").selectOption("All")
    await page.getByLabel("Member", { exact: true }).selectOption("Mia")
    await page.getByText("No matching messages.").waitFor()
    await page.getByLabel("Member", { exact: true }).selectOption("Everyone")
    // The end of the work may add messages.
    await until(() => said.count()).toBeGreaterThanOrEqual(count)
    const { nodes } = await place.ask("GET", `/api/v1/teams/${id}/board`)
    expect(nodes).toMatchObject([
      { id: "words", status: "completed", budget: { tokens: 1000, minutes: 20, used: { tokens: 850 }, reached: null } },
      { id: "page", status: "completed", dependencies: ["words"], budget: { tokens: null, used: { tokens: 850 } } },
    ])
  })

  it("begins in the order that the pointer, the keyboard or a finger gave its nodes", async () => {
    const id = await startTeam()
    for (const name of ["a", "b", "c"])
      await place.ask("POST", `/api/v1/teams/${id}/nodes`, { id: name, task: `Write ${name}` })
    await using visitor = await open(id)
    const { page } = visitor
    const order = () => page.getByRole("list", { name: "Nodes" }).getByRole("button").allInnerTexts()
    await until(order).toEqual(["a", "b", "c"])
    const target = await card(page, "a").boundingBox()
    await card(page, "c").dragTo(card(page, "a"), { targetPosition: { x: 20, y: 5 } })
    await until(order).toEqual(["c", "a", "b"])
    await card(page, "c").dragTo(card(page, "a"), { targetPosition: { x: 20, y: (target?.height ?? 0) - 5 } })
    await until(order).toEqual(["a", "c", "b"])

    await card(page, "b").getByRole("button").focus()
    await page.keyboard.press("Alt+ArrowUp")
    await until(order).toEqual(["a", "b", "c"])
    await page.getByText("b moved before c.").waitFor({ state: "attached" })
    expect(
      await card(page, "b")
        .getByRole("button")
        .evaluate((one) => one === document.activeElement),
    ).toBe(true)

    await using phone = await open(id, { width: 390 })
    const dialog = phone.page.getByRole("dialog")
    await card(phone.page, "b").getByRole("button").tap()
    await dialog.getByText("Position 2 of 3 among waiting nodes").waitFor()
    await dialog.getByRole("button", { name: "Move down" }).tap()
    await dialog.getByText("Position 3 of 3 among waiting nodes").waitFor()
    expect(await dialog.getByRole("button", { name: "Move down" }).isDisabled()).toBe(true)
    await until(order).toEqual(["a", "c", "b"])
    const { nodes } = await place.ask("GET", `/api/v1/teams/${id}/board`)
    expect(nodes.map(({ id: node }: { id: string }) => node)).toEqual(["a", "c", "b"])
  })

  it("says what must pass for a node, and what was run for it", async () => {
    const { id } = await place.ask("POST", "/api/v1/teams", { goal: "A file", consent: true })
    await place.ask("POST", `/api/v1/teams/${id}/workers`, { name: "Mia", role: "Makes" })
    const node = { id: "file", task: "Make a file by a command", checks: { build: "cat made.txt" } }
    await place.ask("POST", `/api/v1/teams/${id}/nodes`, node)
    await using visitor = await open(id)
    const { page } = visitor
    const dialog = page.getByRole("dialog")
    const rows = (name: string) => dialog.getByRole("region", { name }).getByRole("listitem")
    await card(page, "file").getByText("1 check", { exact: true }).waitFor()
    await card(page, "file").getByRole("button").click()
    await until(() => rows("Checks").allInnerTexts()).toEqual(["cat made.txt\nMust pass"])
    expect(await rows("Commands").count()).toBe(0)
    await dialog.getByRole("button", { name: "Assign to Mia" }).click()
    await card(page, "file").and(page.locator("[data-status=completed]")).waitFor()
    await card(page, "file").getByRole("button").click()
    await until(() => rows("Checks").allInnerTexts()).toEqual([expect.stringMatching(/^cat made.txt\npassed/)])
    expect(await rows("Commands").allInnerTexts()).toEqual([
      expect.stringMatching(/^echo made > made.txt\nExit code 0, [\d.]+ m?s$/),
    ])
  })

  it("has room for a finger on a phone", async () => {
    const id = await startTeam()
    await place.ask("POST", `/api/v1/teams/${id}/workers`, { name: "Mia", role: "Writes" })
    await place.ask("POST", `/api/v1/teams/${id}/nodes`, { id: "words", task: "Write the words" })
    await using visitor = await open(id, { width: 390 })
    const { page } = visitor
    await card(page, "words").waitFor()
    const sizes = () =>
      page
        .locator("section[aria-label=Board] button:visible, dialog button:visible")
        .evaluateAll((all) =>
          all
            .map((one) => ({ name: one.textContent, height: one.getBoundingClientRect().height }))
            .filter(({ height }) => height < 44),
        )
    expect(await sizes()).toEqual([])
    await card(page, "words").getByRole("button").click()
    await page.getByRole("dialog").getByRole("button", { name: "Assign to Mia" }).waitFor()
    expect(await sizes()).toEqual([])
  })
})
