import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
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
    const named = await namedCode(page)
    expect((await loadedCode(page)).filter((path) => !named.includes(path))).toEqual([])
  })
})

inChromium("a session's page", ({ visit }) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace()
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  it("requests the log before any code is there, and once", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/docs`)
    const page = await visitor.context.newPage()
    const asked: string[] = []
    page.on("request", (request) => asked.push(request.url()))
    const ofLog = () => asked.filter((url) => url.includes(`/api/v1/sessions/${id}/events?`))
    const code = Promise.withResolvers<void>()
    await page.route("**/assets/*.js", async (route) => {
      await code.promise
      await route.continue()
    })
    await page.goto(`${place.url}/s/${id}/run`, { waitUntil: "commit" })
    await until(() => ofLog().length).toBe(2)
    code.resolve()
    await onRunScreen(page).finished()
    await page.waitForLoadState("networkidle")
    expect(new Set(ofLog()).size).toBe(2)
    expect(ofLog().length).toBe(2)
  })

  it("has its app's code requested at once, and no other pane's", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/docs`)
    const page = await visitor.context.newPage()
    const code = Promise.withResolvers<void>()
    await page.route("**/assets/index-*.js", async (route) => {
      await code.promise
      await route.continue()
    })
    await page.goto(`${place.url}/s/${id}/run`, { waitUntil: "commit" })
    const partsNamed = async () => {
      const named = await namedCode(page)
      return ["app", "log", "files"].filter((part) => named.some((path) => path.startsWith(`/assets/${part}-`)))
    }
    await until(partsNamed).toEqual(["app"])
    code.resolve()
    await page.frameLocator("iframe[title=Preview]").locator("ul").waitFor({ state: "attached" })
  })

  it("asks again for a log that it was refused before its code was there", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/docs`)
    const page = await visitor.context.newPage()
    let refusals = 2
    await page.route(`**/api/v1/sessions/${id}/events?*`, async (route) => {
      if (refusals-- > 0)
        await route.fulfill({ status: 401, json: { error: { code: "unauthorized", message: "No." } } })
      else await route.continue()
    })
    await page.goto(`${place.url}/s/${id}/run`)
    await onRunScreen(page).finished()
    expect(new URL(page.url()).pathname).toBe(`/s/${id}/run`)
    visitor.faults.length = 0
  })
})

/** Returns the paths of the scripts that the page's document names. */
async function namedCode(page: Page): Promise<string[]> {
  return await page
    .locator("script[src], link[rel=modulepreload]")
    .evaluateAll((all) =>
      all.map((one) => new URL(one.getAttribute("src") ?? one.getAttribute("href") ?? "", location.href).pathname),
    )
}

/** Returns the paths of the loaded scripts, without the palette's, which loads by itself after everything else. */
async function loadedCode(page: Page): Promise<string[]> {
  const paths = await page.evaluate(() =>
    performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname),
  )
  return paths.filter((path) => path.endsWith(".js") && !path.includes("palette"))
}
