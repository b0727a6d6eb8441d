import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type ModelServer, startModelServer } from "../fixtures/model-server/server.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const KEY = "sk-ant-of-mine"

inChromium("the model of a run", ({ visit }) => {
  let provider: ModelServer
  let place: Place
  beforeAll(async () => {
    provider = await startModelServer([])
    const env = {
      ANTHROPIC_BASE_URL: provider.url,
      OPENAI_API_KEY: "sk-is-refused",
      OPENAI_BASE_URL: `${provider.url}/v1`,
    }
    place = await openPlace({ env })
  })
  afterAll(async () => {
    await place?.[Symbol.asyncDispose]()
    await provider?.close()
  })

  const picker = (page: Page) => page.getByRole("button", { name: /^Model: / })
  const label = (page: Page) => picker(page).getAttribute("aria-label")

  /** Records the requests that carry a key, as pairs of path and key. */
  function keysIn(page: Page): [string, string][] {
    const sent: [string, string][] = []
    page.on("request", (request) => {
      const key = request.headers()["x-api-key"]
      if (key) sent.push([new URL(request.url()).pathname, key])
    })
    return sent
  }

  it("is found by a part of its name once its provider has a key, which goes along with its runs alone", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    const { keyboard } = page
    const sent = keysIn(page)
    await until(() => label(page)).toBe("Model: scripted/demo, built in")

    // Choosing a provider without a key leads to the field for it.
    await picker(page).focus()
    await keyboard.press("Enter")
    const dialog = page.getByRole("dialog", { name: "Choose a model" })
    await dialog.getByText("OpenAI refused the API key.").waitFor()
    await keyboard.type("anthropic")
    await dialog.getByRole("option", { name: "Anthropic claude-sonnet-5 Add a key" }).waitFor()
    await keyboard.press("Enter")
    const form = page.getByRole("dialog", { name: "Add an API key" })
    await form.getByLabel("API key", { exact: true }).fill(KEY)
    await form.getByText("Detected an Anthropic key.").waitFor()
    await form.getByLabel("Remember this key").uncheck()
    await form.getByLabel("API key", { exact: true }).press("Enter")
    await form.waitFor({ state: "detached" })
    await until(() => label(page)).toBe("Model: anthropic/claude-sonnet-5, your key")
    const prompt = page.getByLabel("What to build")
    await page.getByText(/Estimated cost: ≈ \$[\d.]+ to \$[\d.]+ for a project of 5 to 15 files/).waitFor()
    await picker(page).click()
    await dialog.getByRole("option", { name: /claude-opus-4-5/ }).waitFor()
    await keyboard.type("opus")
    await keyboard.press("Enter")
    await dialog.waitFor({ state: "detached" })
    expect(await label(page)).toBe("Model: anthropic/claude-opus-4-5, your key")
    await until(() => picker(page).evaluate((button) => button === document.activeElement)).toBe(true)

    // A real run would use up the model's answers, so the test only reads the requested model.
    const asked = Promise.withResolvers<{ model: string }>()
    await page.route("**/v1/runs", (route) => {
      asked.resolve(route.request().postDataJSON())
      return route.abort()
    })
    await prompt.fill("A list.")
    await page.getByRole("button", { name: "Run", exact: true }).click()
    expect((await asked.promise).model).toBe("anthropic/claude-opus-4-5")
    await page.getByText("can't be reached").waitFor()
    expect(new Set(sent.map(([path, key]) => `${path} ${key}`))).toEqual(
      new Set([`/v1/models/anthropic ${KEY}`, `/v1/runs ${KEY}`]),
    )
    expect(provider.lists.filter(({ apiKey }) => apiKey === KEY).map(({ path }) => path.split("?")[0])).toEqual([
      "/v1/models",
    ])
  })

  it("without a price has no limit in dollars, but one in tokens, and the form says so", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    const choose = async (chosen: string) => {
      await page.evaluate(
        (choice) => localStorage.setItem("switchyard.model", choice),
        JSON.stringify({ chosen, recent: [] }),
      )
      await page.reload()
      await page.getByText("Budget", { exact: true }).click()
      await page.getByRole("textbox", { name: "Tokens" }).waitFor()
      return page.getByRole("textbox", { name: "Dollars" })
    }
    const note = page.getByText("No price is known for anthropic/claude-of-no-list")
    expect(await (await choose("anthropic/claude-of-no-list")).isDisabled()).toBe(true)
    await note.waitFor()
    expect(await page.getByRole("textbox", { name: "Tokens" }).isEnabled()).toBe(true)
    expect(await (await choose("anthropic/claude-sonnet-5")).isEnabled()).toBe(true)
    expect(await note.count()).toBe(0)
  })

  it("is remembered, recent ones first, and sends no key with a run of another provider's", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.evaluate((key) => {
      sessionStorage.setItem("switchyard.model-key.anthropic", key)
      localStorage.setItem("switchyard.model", JSON.stringify({ chosen: "anthropic/claude-opus-4-5", recent: [] }))
    }, KEY)
    await page.reload()
    await until(() => label(page)).toBe("Model: anthropic/claude-opus-4-5, your key")
    await picker(page).click()
    const dialog = page.getByRole("dialog", { name: "Choose a model" })
    await dialog.getByRole("option", { name: "demo" }).click()
    await until(() => label(page)).toBe("Model: scripted/demo, built in")
    await page.reload()
    await until(() => label(page)).toBe("Model: scripted/demo, built in")
    await picker(page).click()
    expect(await dialog.getByRole("option").first().innerText()).toContain("scripted/demo")
    await page.keyboard.press("Escape")

    const sent = keysIn(page)
    await page.getByLabel("What to build").fill("A list of mine.")
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await page.waitForURL(/\/s\/[^/]+\/run$/)
    await place.over(page.url().split("/").at(-2) ?? "")
    expect(sent.filter(([, key]) => key === KEY)).toEqual([])
    expect((await place.ask("GET", "/v1/runs?limit=1")).runs[0].model).toBe("scripted/demo")
  })
})
