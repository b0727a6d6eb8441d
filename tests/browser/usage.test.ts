import { costText, tokenCount } from "@switchyard/core/people/usage/amounts"
import { expect, it } from "vitest"
import { openPlace } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("the page of usage", ({ visit }) => {
  it("has what the runs used, by the name that is chosen, as a plot, tables and CSV", async () => {
    await using place = await openPlace()
    await using visitor = await visit(`${place.url}/`)
    const { page } = visitor
    await page.getByRole("link", { name: "Usage" }).click()
    await page.getByText(/^Nothing was used from/).waitFor()

    const id = await place.session({ built: true })
    const { total, groups } = await place.ask("GET", "/api/v1/usage?group_by=session")
    expect(groups).toMatchObject([{ session: id }])
    await page.reload()
    const table = page.getByRole("table").first()
    await table.getByRole("row", { name: /^No account/ }).waitFor()
    await page.getByRole("radio", { name: "Session" }).check({ force: true })
    await table.getByRole("link", { name: id }).waitFor()
    expect(new URL(page.url()).search).toBe("?by=session&days=30")
    const sums = [tokenCount(total.tokens.input, total.estimated_input), costText(total)]
    const shown = (await table.getByRole("row", { name: /^Total/ }).innerText()).split("\t")
    expect([shown[1], shown[5]]).toEqual(sums)

    await page.getByText("Day by day").click()
    expect(await page.getByRole("table").nth(1).getByRole("row").count()).toBe(3)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download as CSV" }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^usage-.*\.csv$/)

    await table.getByRole("link", { name: id }).click()
    await until(() => new URL(page.url()).pathname).toMatch(`/s/${id}`)
  })
})
