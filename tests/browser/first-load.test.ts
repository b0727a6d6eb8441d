import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const DATA = ["/config.json", "/v1/me", "/api/v1/config/preferences"]

inChromium("the first page of the studio", ({ visit }) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace()
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  it("requests its configuration, its user and their preferences before any code is there, and once", async () => {
    await using visitor = await visit(`${place.url}/docs`)
    const page = await visitor.context.newPage()
    const asked: string[] = []
    page.on("request", (request) => asked.push(new URL(request.url()).pathname))
    const code = Promise.withResolvers<void>()
    await page.route("**/assets/*.js", async (route) => {
      await code.promise
      await route.continue()
    })
    await page.goto(place.url, { waitUntil: "commit" })
    await until(() => DATA.filter((path) => !asked.includes(path))).toEqual([])
    code.resolve()
    await page.getByRole("heading", { level: 1 }).waitFor()
    await page.waitForLoadState("networkidle")
    expect(asked.filter((path) => DATA.includes(path)).sort()).toEqual([...DATA].sort())
  })

  it("loads no code but what its document names, so that all of it is requested at once", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByRole("heading", { level: 1 }).waitFor()
    await page.waitForLoadState("networkidle")
    const named = await page
      .locator("script[src], link[rel=modulepreload]")
      .evaluateAll((all) =>
        all.map((one) => new URL(one.getAttribute("src") ?? one.getAttribute("href") ?? "", location.href).pathname),
      )
    expect((await loadedCode(page)).filter((path) => !named.includes(path))).toEqual([])
  })
})

/** The scripts that a page has loaded. The palette comes by itself once all else is there. */
async function loadedCode(page: Page): Promise<string[]> {
  const paths = await page.evaluate(() =>
    performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname),
  )
  return paths.filter((path) => path.endsWith(".js") && !path.includes("palette"))
}
