import { expect, it } from "vitest"
import { inAgentsRoom } from "./harness/agents-room.ts"
import { until } from "./harness/until.ts"

const told = (knobs: object) => `Do it. mock: ${JSON.stringify({ summary: false, files: {}, ...knobs })}`

inAgentsRoom("the merge of several worktrees", (room) => {
  /** Creates a session whose agents have each written files in their own worktrees. */
  async function team(work: Record<string, Record<string, string>>): Promise<string> {
    const { ask, session } = room.place
    const { folder } = room.agents.repository({ "shared.txt": "one\n" })
    const { id } = await ask("POST", "/api/v1/sessions", { repository: folder })
    for (const [name, files] of Object.entries(work)) {
      const prompt = told({ files })
      const agent = { name, coding_agent: "mock", mode: "bypass", consent: true, prompt }
      await ask("POST", `/api/v1/sessions/${id}/agents`, agent)
    }
    for (const name of Object.keys(work)) await ask("GET", `/api/v1/sessions/${id}/agents/${name}/wait?seconds=50`)
    return id ?? session
  }

  it("has an order that is changed by keys and by dragging, and shows where it stopped and why", async () => {
    const { page } = room
    const shared = (by: string) => ({ "shared.txt": `by ${by}\n` })
    const id = await team({ api: { "api.txt": "x\n" }, docs: shared("docs"), tests: shared("tests") })
    await page.goto(`/s/${id}/a/main`)
    await page.getByRole("link", { name: "Merge queue", exact: true }).click()
    const items = page
      .getByRole("list")
      .filter({ has: page.getByRole("checkbox") })
      .getByRole("listitem")
    const order = () => items.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")))
    await until(order).toEqual(["api", "docs", "tests"])

    await page.getByRole("checkbox", { name: /^docs/ }).focus()
    await page.keyboard.press("Alt+ArrowUp")
    await until(order).toEqual(["docs", "api", "tests"])
    await page.getByRole("button", { name: "Move docs down" }).click()
    await page.getByRole("button", { name: "Move docs up" }).click()
    await until(order).toEqual(["docs", "api", "tests"])
    await items.nth(1).dragTo(items.nth(0))
    await until(order).toEqual(["api", "docs", "tests"])

    await page.getByRole("checkbox", { name: "Run checks after each merge" }).uncheck()
    await page.getByRole("button", { name: "Merge 3 worktrees" }).click()
    await page.getByRole("heading", { name: "Stopped at tests" }).waitFor()
    const report = page.getByRole("region", { name: "Stopped at tests" })
    const lines = await report.getByRole("listitem").allInnerTexts()
    expect(lines[0]).toMatch(/api\s+Merged\s+[0-9a-f]{8}/)
    expect(lines[2]).toMatch(/tests\s+Conflicts[\s\S]*shared\.txt/)
    await report.getByRole("link", { name: "Resolve conflicts" }).click()
    await page.getByText(/^The merge into main is paused/).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(
      0,
    )
  })
})
