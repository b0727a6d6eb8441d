import { afterAll, beforeAll, expect, it } from "vitest"
import { createScriptedProvider } from "../fixtures/scripted-model.ts"
import { type AgentsPlace, withAgents } from "./harness/agents.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("a failure is shown where it began", ({ visit }) => {
  const model = createScriptedProvider(() => new Error("The model is broken."))
  let place: Place
  let agents: AgentsPlace
  beforeAll(async () => {
    place = await openPlace({ model })
    agents = withAgents(place)
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  it("of a commit without changes in the chat, also after a reload", async () => {
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/chat`)
    const { page } = visitor
    const alert = page.getByRole("log").getByRole("alert")
    await page.getByRole("button", { name: "Commit", exact: true }).click()
    await until(() => alert.innerText()).toContain("There is nothing to commit, because no file has changed.")
    await page.reload()
    await until(() => alert.innerText()).toContain("There is nothing to commit, because no file has changed.")
  })

  it("of a merge, also after its dialog is closed and after a reload", async () => {
    const repository = agents.repository({ "README.md": "# Shop\n" })
    const id = await agents.begin(
      { files: { "README.md": "# A shop\n" } },
      { repository: repository.folder, done: true },
    )
    repository.write({ "README.md": "# Mine\n" })
    await using visitor = await visit(`${place.url}/s/${id}/changes`)
    const { page } = visitor
    const alert = page.getByRole("region", { name: "Changes" }).getByRole("alert")
    await page.getByRole("button", { name: "Merge…" }).click()
    await page.getByRole("button", { name: "Merge into main" }).click()
    await page.getByRole("dialog").getByRole("alert").waitFor()
    await page.keyboard.press("Escape")
    await until(() => alert.innerText()).toContain("README.md")
    await page.reload()
    await until(() => alert.innerText()).toContain("README.md")
    // The result of the next command replaces the failure.
    repository.git("checkout", "-q", "README.md")
    await page.getByRole("button", { name: "Merge…" }).click()
    await page.getByRole("button", { name: "Merge into main" }).click()
    await page.getByText("Merged into main").first().waitFor()
    expect(await alert.count()).toBe(0)
  })

  it("of a team's own run, above its board", async () => {
    const { id } = await place.ask("POST", "/api/v1/teams", { goal: "Two files", model: "scripted/test" })
    await using visitor = await visit(`${place.url}/s/${id}/team`)
    await until(() => visitor.page.locator("#main").getByRole("alert").innerText()).toContain("The run failed.")
  })

  it("of a refused action, until it is dismissed or another screen is opened", async () => {
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/chat`)
    const { page } = visitor
    await page.route(/\/chat\/new$/, (route) =>
      route.fulfill({ status: 409, json: { error: { code: "run_active", message: "Wait for it.", details: {} } } }),
    )
    await page.clock.install()
    const toast = page.getByRole("region", { name: "Notifications" }).getByText("Wait for it.")
    const begin = page.getByRole("button", { name: "New", exact: true })
    await begin.click()
    await toast.waitFor()
    for (const width of [1280, 768, 390]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.evaluate(controlsUnderToasts), `${width} pixels`).toEqual([])
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.clock.fastForward("10:00")
    expect(await toast.count()).toBe(1)
    await page.getByRole("button", { name: "Dismiss" }).click()
    expect(await toast.count()).toBe(0)
    await begin.click()
    await toast.waitFor()
    await page.getByRole("link", { name: "Build", exact: true }).first().click()
    await until(() => toast.count()).toBe(0)
  })
})

/** Returns the names of the controls that a toast covers. */
function controlsUnderToasts(): string[] {
  const region = document.querySelector('[aria-label="Notifications"]')
  const toasts = [...(region?.children ?? [])].map((toast) => toast.getBoundingClientRect())
  const controls = [...document.querySelectorAll<HTMLElement>("button, a, input, select, textarea")]
  return controls.flatMap((control) => {
    if (region?.contains(control) || !control.checkVisibility()) return []
    const { left, right, top, bottom, width } = control.getBoundingClientRect()
    const isUnder = (toast: DOMRect) =>
      left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top
    return width > 1 && toasts.some(isUnder) ? [control.textContent || control.ariaLabel || control.tagName] : []
  })
}
