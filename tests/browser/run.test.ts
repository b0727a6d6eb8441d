import { afterEach, beforeEach, expect, it } from "vitest"
import { FILES } from "./harness/director.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { latestSeq, onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("a run in the studio", ({ visit }) => {
  let place: Place
  beforeEach(async () => {
    place = await openPlace()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  it("is watched from the prompt to the last file, node by node and file by file", async () => {
    const { director } = place
    const plan = director.hold("plan")
    const second = director.hold("src/main.ts")
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByRole("textbox", { name: "What to build" }).fill("A list that remembers what I typed.")
    await page.locator("#agent-run-button").click()

    await page.waitForURL(/\/s\/[^/]+\/run$/)
    const screen = onRunScreen(page)
    await plan.reached
    await screen.reach({ planner: "active", architect: "idle", coder: "idle" })
    await until(() => page.getByRole("region", { name: "Progress" }).innerText()).toContain("Choosing files")
    plan.release()

    await second.reached
    await screen.reach({ planner: "completed", architect: "completed", coder: "active" })
    await screen.show("Graph")
    await until(() => page.locator('[data-agent-node="coder"]').innerText()).toMatch(/File 3\/7/)
    await screen.show("Code")
    await until(screen.files).toContain("index.html")
    expect(await screen.files()).not.toContain("README.md")
    second.release()

    await screen.finished()
    // The tree opens the folders at the root.
    const inSight = Object.keys(FILES).filter((path) => !path.startsWith("src/views/"))
    await until(screen.files).toEqual(expect.arrayContaining(inSight))
    const id = /\/s\/([^/]+)/.exec(page.url())?.[1] ?? ""
    const seq = await latestSeq(place, id)
    await until(screen.position).toBe(`${seq}/${seq}`)
    await screen.show("Log")
    await until(() => screen.log.innerText()).toContain("Run complete")
  })

  it("goes on in the server when its page is left, and is whole when it comes back", async () => {
    const hold = place.director.hold("style.css")
    const id = await place.session()
    await place.run(id)
    await hold.reached
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.goto(`/s/${id}/run`)
    const screen = onRunScreen(page)
    await screen.reach({ coder: "active" })
    await page.goto("about:blank")
    hold.release()
    await place.over(id)
    await page.goto(`/s/${id}/run`)
    await screen.finished()
    const seq = await latestSeq(place, id)
    await until(screen.position).toBe(`${seq}/${seq}`)
  })

  it("is followed by the list of sessions from its first file on", async () => {
    const steps = place.director.hold("task_plan")
    const holds = Object.keys(FILES).map((path) => place.director.hold(path))
    const id = await place.session()
    await using other = await visit(`${place.url}/docs`)
    // Disables the list's own refresh every five seconds, which would hide that it lags behind.
    await other.context.addInitScript(() => {
      const every = window.setInterval
      Object.assign(window, { setInterval: (task: () => void, ms: number) => (ms === 5_000 ? 0 : every(task, ms)) })
    })
    await using visitor = await visit(`${place.url}/s/${id}/run`, { context: other.context })
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.ask("A list.")
    const row = page.getByRole("navigation", { name: "Sessions" }).locator(`a[href*="${id}"]`)
    await until(() => row.innerText()).toMatch(/^List[\s\S]*Planning/)
    steps.release()
    await screen.reach({ coder: "active" })
    await until(() => row.innerText()).toContain("File 1 of 7")
    for (const hold of holds) hold.release()
    await screen.finished()
    await page.getByRole("link", { name: "Switchyard" }).first().click()
    const recent = page.getByRole("region", { name: "Your sessions" }).locator(`[data-card="${id}"]`)
    await until(() => recent.innerText()).toMatch(/^List[\s\S]*A list\.[\s\S]*7 files/)
  })

  it("is stopped by its reader, and says so", async () => {
    const hold = place.director.hold("src/list.ts")
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const screen = onRunScreen(visitor.page)
    await screen.ask("A list.")
    await hold.reached
    await screen.reach({ coder: "active" })
    await screen.runButton.filter({ hasText: "Stop" }).click()
    await screen.reach({ coder: "idle" })
    await screen.show("Log")
    await until(() => screen.log.innerText()).toMatch(/stopped/i)
    expect((await place.ask("GET", `/api/v1/sessions/${id}`)).last_run.status).toBe("cancelled")
  })

  it("shows what went wrong where it went wrong", async () => {
    place.director.fail("src/list.ts", new Error("The model broke."))
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const screen = onRunScreen(visitor.page)
    await screen.ask("A list.")
    await screen.reach({ planner: "completed", architect: "completed", coder: "error" })
    await screen.show("Log")
    await until(() => screen.log.locator('[data-severity="error"]').count()).toBeGreaterThan(0)
    await until(() => screen.runButton.innerText()).toBe("Run")
  })

  it("goes on with the files that are there, without a question", async () => {
    const id = await place.session({ built: true, prompt: "A list." })
    await using visitor = await visit(`${place.url}/s/${id}/run?show=code`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.finished()
    place.director.build({ ...FILES, "src/extra.ts": "export const extra = 1\n" })
    await screen.ask("Make it blue.")
    await until(screen.files).toContain("src/extra.ts")
    await screen.finished()
    expect(page.url()).toContain(id)
    expect(await page.getByRole("dialog").count()).toBe(0)
    expect((await place.ask("GET", `/api/v1/sessions/${id}`)).file_count).toBe(8)
  })

  it("is reset in its midst: stopped, deleted, and an empty session in its place that knows of it", async () => {
    const hold = place.director.hold("src/list.ts")
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.ask("A list.")
    await hold.reached
    await screen.reach({ coder: "active" })
    await page.getByRole("button", { name: "Session actions" }).click()
    await page.getByRole("menuitem", { name: "Reset" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Stop and reset" }).click()
    await page.waitForURL((url) => url.pathname.endsWith("/run") && !url.pathname.includes(id))
    await screen.reach({ planner: "idle", architect: "idle", coder: "idle" })
    await screen.show("Log")
    await until(() => screen.log.innerText()).toContain("The reset stopped the run")
    hold.release()
    await expect(place.ask("GET", `/api/v1/sessions/${id}`)).rejects.toThrow("404")
    await screen.show("Code")
    await page.getByText("No files yet").waitFor()
    expect(place.server.reported).toEqual([])
  })
})
