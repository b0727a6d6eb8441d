import { costText, tokenCount } from "@switchyard/core/people/usage/amounts"
import { expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { chooseSegment } from "./harness/segments.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("the page of usage", ({ visit }) => {
  it("has what the runs used, by the name that is chosen, as a plot, tables and CSV", async () => {
    await using place = await openPlace()
    await using visitor = await visit(`${place.url}/`)
    const { page } = visitor
    await page.getByRole("link", { name: "Usage" }).click()
    await page.getByText(/^No usage from/).waitFor()

    const id = await place.session({ built: true })
    const { total, groups } = await counted(place, "/api/v1/usage?group_by=session")
    expect(groups).toMatchObject([{ session: id }])
    await page.reload()
    const table = page.getByRole("table").first()
    await table.getByRole("row", { name: /^No account/ }).waitFor()
    await chooseSegment(page, "Session")
    await table.getByRole("link", { name: id }).waitFor()
    expect(new URL(page.url()).search).toBe("?by=session&days=30")
    const sums = [tokenCount(total.tokens.input, total.estimated_input), costText(total)]
    const shown = (await table.getByRole("row", { name: /^Total/ }).innerText()).split("\t")
    expect([shown[1], shown[5]]).toEqual(sums)

    await page.getByText("By day").click()
    await until(() => page.getByRole("table").nth(1).getByRole("row").count()).toBe(3)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download as CSV" }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^usage-.*\.csv$/)

    await table.getByRole("link", { name: id }).click()
    await until(() => new URL(page.url()).pathname).toMatch(`/s/${id}`)
  })

  it("isn't needed for what one run cost, with its machine in AWS, which the run's own page says", async () => {
    await using place = await openPlace()
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/`)
    const { page } = visitor
    // Changes the costs to those of a run on a deployed server, with a model that has a price.
    const deployed = { cost_usd: 0.123, machine_seconds: 600, machine_usd: 0.0099 }
    await page.route("**/v1/runs/run_*", async (route) => {
      const answer = await route.fetch()
      const run = await answer.json()
      expect(run.cost).toMatchObject({ cost_usd: 0, cost_is_complete: true, machine_usd: null })
      await route.fulfill({ response: answer, json: { ...run, cost: { ...run.cost, ...deployed } } })
    })
    await page.goto(`/s/${id}/run`)
    const outcome = page.locator("[data-outcome]").last()
    await until(() => outcome.innerText()).toContain("Estimated cost: $0.12 for the model, under $0.01 for the machine")
  })

  it("shows the way to a budget that is used up where it keeps a run from beginning, and raises it there", async () => {
    await using place = await openPlace()
    const id = await place.session()
    await place.ask("PUT", "/api/v1/config/budget", { day_tokens: 0 })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const refused = page.getByRole("alert").filter({ hasText: "Your budget of 0 tokens a day is used up." })
    const prompt = () => page.locator("form", { has: page.locator("#agent-run-button") }).getByRole("textbox")
    const run = async () => {
      await prompt().fill("A page")
      await page.locator("#agent-run-button").click()
    }
    await run()
    await refused.getByRole("link", { name: "View budget" }).waitFor()
    await page.goto(`${place.url}/`)
    await run()
    await refused.getByRole("link", { name: "View budget" }).click()

    const section = page.getByRole("region", { name: "Budget" })
    await section.getByText("0 of 0 tokens a day").waitFor()
    await section.getByText(/Raise it, or wait until/).waitFor()
    await section.getByRole("button", { name: "Change" }).click()
    const form = page.getByRole("dialog", { name: "Budget" })
    const aDay = form.getByRole("group", { name: "Daily" })
    await aDay.getByRole("textbox", { name: "Tokens" }).fill("1.5")
    await form.getByRole("button", { name: "Save" }).click()
    await aDay.getByText(/^Enter a whole number/).waitFor()
    await aDay.getByRole("textbox", { name: "Tokens" }).fill("2,000,000")
    await form.getByRole("button", { name: "Save" }).click()
    await section.getByText("0 of 2,000,000 tokens a day").waitFor()
    await until(() => form.count()).toBe(0)
    expect(await place.ask("GET", "/api/v1/config/budget")).toMatchObject({ day_tokens: 2_000_000, day_usd: null })

    await page.goto(`${place.url}/`)
    await run()
    await until(() => new URL(page.url()).pathname).toMatch(/^\/s\/.+\/run/)
  })

  it("gives a run its budget as it is started, asks where it is used up, and goes on with another amount", async () => {
    await using place = await openPlace()
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByText("Budget", { exact: true }).click()
    await page.getByRole("textbox", { name: "What to build" }).fill("A page")
    await page.getByRole("textbox", { name: "Tokens" }).fill("none")
    await page.getByText(/^Enter a whole number/).waitFor()
    expect(await page.getByRole("button", { name: "Run", exact: true }).isDisabled()).toBe(true)
    await page.getByRole("textbox", { name: "Tokens" }).fill("0")
    await page.getByRole("button", { name: "Run", exact: true }).click()

    const question = page.getByRole("region", { name: "The run's budget of 0 tokens is used up." })
    await page.getByRole("button", { name: "Budget: 0 of 0 tokens, 0 left" }).waitFor()
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor()
    await question.getByRole("button", { name: "Other amount…" }).press("Enter")
    const form = page.getByRole("dialog", { name: "Budget" })
    const ofRun = form.getByRole("group", { name: "This run" })
    await ofRun.getByText("0 of 0 tokens").waitFor()
    await ofRun.getByRole("textbox", { name: "Tokens" }).fill("5,000")
    await page.keyboard.press("Enter")
    await until(() => form.count()).toBe(0)
    await until(() => question.count()).toBe(0)
    const id = /\/s\/([^/]+)/.exec(page.url())?.[1] ?? ""
    await place.over(id)

    await page.getByRole("button", { name: "Session actions" }).click()
    await page.getByRole("menuitem", { name: "Budget" }).click()
    const ofSession = form.getByRole("group", { name: "This session" })
    await ofSession.getByRole("textbox", { name: "Dollars" }).fill("2.5")
    await ofSession.getByRole("textbox", { name: "Minutes of work" }).fill("45")
    await form.getByRole("button", { name: "Save" }).click()
    await page.getByRole("button", { name: "Budget: $0.00 of $2.50, $2.50 left" }).waitFor()
    const budget = await place.ask("GET", `/api/v1/sessions/${id}/budget`)
    expect(budget).toMatchObject({ usd: 2.5, tokens: null, minutes: 45 })
    expect(await ofRun.count()).toBe(0)
  })
})

/** Resolves to the report once it includes a run's usage, which is counted shortly after the run ends. */
async function counted(place: Place, path: string) {
  await until(async () => (await place.ask("GET", path)).total.reports).toBeGreaterThan(0)
  return place.ask("GET", path)
}
