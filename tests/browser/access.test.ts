import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { startModelServer } from "../fixtures/model-server/server.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"
import type { Visit } from "./harness/visit.ts"

const ADMIN_TOKEN = "an-admin-token-of-some-forty-characters-"

inChromium("a studio that asks who is there", ({ visit }) => {
  let place: Place
  let id: string
  beforeAll(async () => {
    place = await openPlace({ env: { AUTH_MODE: "token", REQUIRE_WORKSPACE_AUTH: "true", ADMIN_TOKEN } })
    id = await place.session({ built: true, prompt: "A list for the admin." })
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  const tokenOf = (owner: string) => place.ask("POST", "/v1/tokens", { name: owner, owner, scopes: ["read", "run"] })

  async function enter(visitor: Visit, token: string): Promise<void> {
    await visitor.page.getByLabel("Access token", { exact: true }).fill(token)
    await visitor.page.getByRole("button", { name: "Sign in" }).click()
  }

  it("refuses a wrong token beside its field, and leads with a right one to where one wanted to go", async () => {
    await using visitor = await visit(`${place.url}/s/${id}/run?seq=9`)
    const { page } = visitor
    const field = page.getByLabel("Access token", { exact: true })
    await enter(visitor, "no such token")
    await page.getByText("Invalid access token.").waitFor()
    expect(await field.getAttribute("aria-invalid")).toBe("true")
    await enter(visitor, ADMIN_TOKEN)
    await page.waitForURL(`**/s/${id}/run?seq=9`)
    await until(() => onRunScreen(page).position()).toMatch(/^9\//)
    expect(await page.evaluate(() => document.cookie)).toBe("")
  })

  it("lets a page change what it may, and no request of a browser that doesn't say where it comes from", async () => {
    await using visitor = await visit(place.url)
    await enter(visitor, ADMIN_TOKEN)
    await visitor.page.getByRole("button", { name: "Dark theme" }).click()
    await until(async () => (await place.ask("GET", "/api/v1/config/preferences")).theme).toBe("dark")
    const status = () => visitor.page.evaluate(async () => (await fetch("/logout", { method: "POST" })).status)
    expect(await status()).toBe(403)
  })

  it("is left in every tab at once, and come back to in every tab at once", async () => {
    await using first = await visit(`${place.url}/settings/tokens`)
    await enter(first, ADMIN_TOKEN)
    await using second = await visit(`${place.url}/s/${id}/run`, { context: first.context })
    await onRunScreen(second.page).finished()
    await first.page.getByRole("button", { name: "Sign out" }).click()
    await second.page.waitForURL((url) => url.pathname === "/login")
    await enter(second, ADMIN_TOKEN)
    await second.page.waitForURL(`**/s/${id}/run`)
    await first.page.getByText("Signed in as").waitFor()
    // The first tab has never seen the new login, but a change it makes is still accepted.
    await first.page.getByRole("link", { name: "Go home" }).click()
    const { theme } = await place.ask("GET", "/api/v1/config/preferences")
    await first.page.getByRole("button", { name: /theme$/ }).click()
    await until(async () => (await place.ask("GET", "/api/v1/config/preferences")).theme).not.toBe(theme)
  })

  it("asks again when a token is revoked, and has kept what was being written", async () => {
    const { secret, id: tokenId } = await tokenOf("ada")
    await using visitor = await visit(place.url)
    const { page } = visitor
    await enter(visitor, secret)
    const prompt = page.getByLabel("What to build")
    await prompt.fill("A list of ada's.")
    await place.ask("DELETE", `/v1/tokens/${tokenId}`)
    // If another request of the page was refused first, the page has already left and the button is gone.
    await page.evaluate(() => document.querySelector<HTMLElement>("#agent-run-button")?.click())
    await page.waitForURL((url) => url.pathname === "/login")
    await enter(visitor, (await tokenOf("ada")).secret)
    await until(() => prompt.inputValue()).toBe("A list of ada's.")
  })

  it("is entered by an address with a token, which is gone from it at once", async () => {
    const { secret } = await tokenOf("ada")
    await using visitor = await visit(`${place.url}/settings/tokens#token=${secret}`)
    const { page } = visitor
    await page.getByText("Signed in as").waitFor()
    expect(page.url()).toBe(`${place.url}/settings/tokens`)
    const me = () => page.evaluate(async () => (await (await fetch("/v1/me")).json()).owner)
    expect(await me()).toBe("ada")

    // A link with a token doesn't replace the user who is already signed in.
    const bobs = (await tokenOf("bob")).secret
    await page.evaluate((token) => {
      location.hash = `token=${token}`
    }, bobs)
    await page.waitForURL(`${place.url}/settings/tokens`)
    await page.getByText("Signed in as").waitFor()
    expect(await me()).toBe("ada")
  })

  it("asks for a token where the one in the address is refused", async () => {
    await using visitor = await visit(`${place.url}/s/${id}/run#token=sy_none`)
    const { page } = visitor
    await enter(visitor, ADMIN_TOKEN)
    await page.waitForURL(`**/s/${id}/run`)
    await onRunScreen(page).finished()
  })

  it("saves a file and hands over the zip without asking for a model key", async () => {
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    await enter(visitor, ADMIN_TOKEN)
    const screen = onRunScreen(page)
    await screen.finished()
    const download = page.waitForEvent("download")
    await page.locator("#agent-download-button").click()
    expect((await download).suggestedFilename()).toMatch(/\.zip$/)
    await screen.show("Code")
    await screen.file("README.md").first().click()
    const editor = page.locator("#agent-editor .cm-content")
    await editor.click()
    await page.keyboard.type("Mine. ")
    await page.keyboard.press("Control+s")
    await page.locator("#agent-editor").getByText("Saved", { exact: true }).waitFor()
    expect(await page.getByRole("dialog").count()).toBe(0)
  })

  it("shows nothing of one person to the next", async () => {
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    await enter(visitor, ADMIN_TOKEN)
    await onRunScreen(page).finished()
    await go(page, "/settings/tokens")
    await page.getByRole("button", { name: "Sign out" }).click()
    const seen = watchFor(page, "package.json")
    await enter(visitor, (await tokenOf("bob")).secret)
    await page.waitForURL((url) => url.pathname !== "/login")
    await go(page, `/s/${id}/run`)
    await page.getByText("Session not found").waitFor()
    expect(await (await seen)()).toBe(false)
  })
})

inChromium("a studio whose server has no key for its model", ({ visit }) => {
  it("asks for one when a run needs it, keeps it for the tab, and sends it along", async () => {
    const provider = await startModelServer([])
    onTestFinished(() => provider.close())
    await using place = await openPlace({
      env: { APP_ENV: "production", ADMIN_TOKEN, GROQ_BASE_URL: provider.url },
    })
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByLabel("Access token", { exact: true }).fill(ADMIN_TOKEN)
    await page.keyboard.press("Enter")
    const prompt = page.getByLabel("What to build")
    await prompt.fill("A list.")
    await page.keyboard.press("Control+Enter")
    const dialog = page.getByRole("dialog", { name: "Add an API key" })
    await dialog.getByText("This action needs an API key").waitFor()
    await until(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT")
    await page.keyboard.press("Escape")
    await until(() => prompt.evaluate((field) => field === document.activeElement)).toBe(true)

    await page.getByRole("button", { name: "Add yours" }).click()
    await dialog.getByLabel("API key", { exact: true }).fill("gsk_of_my_own")
    // Only a server on the user's own machine offers to remember the key by default.
    expect(await dialog.getByLabel("Remember this key").isChecked()).toBe(false)
    await page.keyboard.press("Enter")
    await dialog.waitFor({ state: "detached" })
    expect(await page.getByRole("button", { name: "Add yours" }).count()).toBe(0)
    // The dialog asks for nothing else, and the page sends the key only with the run.
    const others: string[] = []
    page.on("request", (request) => {
      const isRun = request.url().endsWith("/v1/runs")
      if (!isRun && request.headers()["x-api-key"]?.startsWith("gsk_")) others.push(request.url())
    })
    // The route aborts the run, because a real one would be billed.
    const sent = Promise.withResolvers<string | undefined>()
    await page.route("**/v1/runs", (route) => {
      sent.resolve(route.request().headers()["x-api-key"])
      return route.abort()
    })
    await prompt.press("Control+Enter")
    expect(await sent.promise).toBe("gsk_of_my_own")
    expect(others).toEqual([])
    await page.getByText("can't be reached").waitFor()
    expect(await prompt.inputValue()).toBe("A list.")
  })
})

/** Navigates as a link does, without reloading the page. */
function go(page: Page, path: string): Promise<void> {
  return page.evaluate((to) => history.pushState(null, "", to), path)
}

/** Watches the page for a text. Resolves to a function that reports whether the page has shown it since. */
async function watchFor(page: Page, words: string): Promise<() => Promise<boolean>> {
  await page.evaluate((text) => {
    const seen = () => document.body.innerText.includes(text)
    Object.assign(window, { wasSeen: false })
    new MutationObserver(() => seen() && Object.assign(window, { wasSeen: true })).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    })
  }, words)
  return () => page.evaluate(() => (window as unknown as { wasSeen: boolean }).wasSeen)
}
