import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { makeRepository } from "../functions/agents/repository.ts"
import { planModel, type TeamPlan } from "../functions/agents/team-plan.ts"
import { removeFolder } from "../remove-folder.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const task = `Do it. mock: ${JSON.stringify({ files: { "a.txt": "A\n" } })}`
const plan: TeamPlan = {
  workers: [{ name: "Ada", type: "mock" }],
  nodes: [{ id: "first", worker: "Ada", deps: [], task }],
}

inChromium("a team with a program as a worker", ({ visit }) => {
  let place: Place
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-team-"))
    place = await openPlace({ model: planModel(() => plan) })
  })
  afterAll(async () => {
    await place?.[Symbol.asyncDispose]()
    await removeFolder(folder, { kill: false })
  })

  it("is begun in the form, and leads from the worker to its conversation", async () => {
    const repository = makeRepository(join(folder, "project"))
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByText("Team", { exact: true }).click()
    await page.getByLabel("The goal").fill("One file")
    const start = page.getByRole("button", { name: "Start" })
    await until(() => start.isEnabled()).toBe(true)
    await page.getByLabel("Mock (for trying things out)").check()
    expect(await start.isEnabled()).toBe(false)
    await page.getByLabel("Repository").fill("/nowhere/at/all")
    await start.click()
    await page.getByText("This folder is not in a git repository.").waitFor()
    await page.getByLabel("Repository").fill(repository.folder)
    await page.getByLabel("Permissions").selectOption("Never ask")
    await start.click()
    await page.waitForURL(/\/team$/)
    await page.getByText("Finished · 1 of 1 nodes").waitFor()
    await page.getByRole("list", { name: "Members" }).getByRole("link", { name: "Ada" }).click()
    await page.waitForURL(/\/a\/Ada$/)
    await page.getByText("I do what the task says.").first().waitFor()
    expect(repository.git("show", "main:a.txt")).toBe("A\n")
  })

  it("takes a command in the form, and a person makes a worker of it", async () => {
    await using visitor = await visit(place.url, { width: 390 })
    const { page } = visitor
    await page.getByText("Team", { exact: true }).click()
    await page.getByLabel("The goal").fill("One file")
    await page.getByRole("button", { name: "Add a command" }).click()
    const start = page.getByRole("button", { name: "Start" })
    expect(await start.isEnabled()).toBe(false)
    await page.getByLabel("Command name").fill("maker")
    await page.getByLabel("Command", { exact: true }).fill("echo made > tea.txt")
    await page.getByLabel("Maximum minutes").fill("5")
    await page.getByLabel("Same network access as agents").check()
    await start.click()
    await page.getByRole("button", { name: "Allow" }).click()
    await page.waitForURL(/\/team$/)
    await page.getByRole("button", { name: "Add worker" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Mia")
    await dialog.getByLabel("Type").selectOption("maker")
    await dialog.getByText("It takes 5 minutes at most, and reaches the hosts that agents may.").waitFor()
    await dialog.getByLabel("Role").fill("Makes files")
    await dialog.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByTitle("Makes files · echo made > tea.txt").waitFor()
  })

  it("may have one as its coordinator, whose stages are shown above the board", async () => {
    const tools = [
      { name: "spawn_worker", args: { name: "Ada", role: "Writes" } },
      { name: "create_work_node", args: { node_id: "tea", task: "Write tea.txt", stage: "Research" } },
      { name: "assign_worker", args: { node_id: "tea", worker_id: "Ada" } },
    ]
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByText("Team", { exact: true }).click()
    await page.getByLabel("The goal").fill(`Tea. mock: ${JSON.stringify({ tools, files: {}, summary: false })}`)
    await page.getByLabel("Coordinator").selectOption("mock")
    await page.getByLabel("Permissions").selectOption("Never ask")
    await page.getByRole("button", { name: "Start" }).click()
    await page.waitForURL(/\/team$/)
    await page.getByRole("list", { name: "Stages" }).getByText("In review · 1 of 1").waitFor()
    await page.getByRole("list", { name: "Members" }).getByRole("link", { name: "Coordinator" }).click()
    await page.waitForURL(/\/a\/agt_/)
    await page.getByText("Created tea.").first().waitFor()

    const finished = [...tools, { name: "finish", args: { summary: "Made." } }]
    const goal = `Tea. mock: ${JSON.stringify({ tools: finished, files: {}, summary: false })}`
    const { id } = await place.ask("POST", "/api/v1/teams", { goal, coordinator: "mock", consent: true })
    await page.goto(`${place.url}/s/${id}/team`)
    await page.getByRole("list", { name: "Stages" }).getByText("Not reviewed · 1 of 1").waitFor()
  })
})
