import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type ModelServer, startModelServer } from "../fixtures/model-server/server.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const KEY = "sk-ant-api03-9fJmZ0p9QdXwT4yKcR7u"

inChromium("an API key", ({ visit }) => {
  let provider: ModelServer
  let place: Place
  beforeAll(async () => {
    provider = await startModelServer([])
    place = await openPlace({ env: { ANTHROPIC_BASE_URL: provider.url, GROQ_BASE_URL: provider.url } })
  })
  afterAll(async () => {
    await place?.[Symbol.asyncDispose]()
    await provider?.close()
  })

  const label = (page: Page) => page.getByRole("button", { name: /^Model: / }).getAttribute("aria-label")

  it("is pasted once, and then known to runs, to the next tab and browser, and to the agent", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    const prompt = page.getByLabel("What to build")
    await prompt.fill("A list.")
    await page.getByRole("button", { name: "add a key" }).click()
    const dialog = page.getByRole("dialog", { name: "Add an API key" })
    const field = dialog.getByLabel("API key", { exact: true })
    await until(() => field.evaluate((input) => input === document.activeElement)).toBe(true)

    // A refused key stays in the field.
    await field.fill(`${KEY}-refused`)
    await page.keyboard.press("Enter")
    await dialog.getByText("Anthropic refused this key.").waitFor()
    expect(await field.inputValue()).toBe(`${KEY}-refused`)
    await field.fill(`ANTHROPIC_API_KEY="${KEY}"`)
    await dialog.getByText("Detected an Anthropic key.").waitFor()
    expect(await field.inputValue()).toBe(KEY)
    expect(await dialog.getByLabel("Also use this key for Claude Code").isChecked()).toBe(true)
    await field.press("Enter")
    await dialog.waitFor({ state: "detached" })
    await page.getByText("Anthropic key saved and added to account claude.").waitFor()
    await until(() => label(page)).toBe("Model: anthropic/claude-sonnet-5, your key")
    expect(await prompt.inputValue()).toBe("A list.")

    // The browser stores no part of the key, so another browser shows the same state.
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    expect(stored).not.toContain(KEY.slice(8))
    await using other = await visit(place.url)
    await until(() => label(other.page)).toBe("Model: anthropic/claude-sonnet-5, your key")
    await other.page.getByText("Agent", { exact: true }).click()
    await other.page
      .getByRole("combobox", { name: "Agent", exact: true })
      .selectOption({ label: "claude · Claude Code" })
    await other.page.getByText("Uses this account").waitFor()

    // The dialog names the account that is deleted with the key. Then both are gone everywhere.
    await page.goto("/settings/model")
    await page.getByText(/^Used for models and account claude · saved/).waitFor()
    await page.getByRole("button", { name: "Remove Anthropic key" }).click()
    const question = page.getByRole("dialog", { name: "Remove the Anthropic key?" })
    await question.getByText("This also deletes account claude, set up with the same key.").waitFor()
    await question.getByRole("button", { name: "Remove" }).click()
    await page.getByText("Removed the Anthropic key. Also deleted account claude.").waitFor()
    await until(() => label(page)).toBe("Model: scripted/demo, built in")
    expect((await place.ask("GET", "/api/v1/accounts")).total).toBe(0)
  })

  it("without a clear form asks for its provider, and leaves what is typed", async () => {
    await using visitor = await visit(`${place.url}/settings/model`)
    const { page } = visitor
    const form = page.getByRole("form", { name: "Add a key" })
    const field = form.getByLabel("API key", { exact: true })
    await field.fill("key-of-a-proxy")
    await field.press("Enter")
    await form.getByText("Choose a provider below.").waitFor()
    await form.getByLabel("Provider").selectOption({ label: "Groq" })
    expect(await field.inputValue()).toBe("key-of-a-proxy")
    await field.press("Enter")
    await page.getByText("Groq key saved.").waitFor()
    expect(provider.lists.at(-1)?.apiKey).toBe("key-of-a-proxy")
    await page.getByRole("button", { name: "Remove Groq key" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
    await page.getByText("Removed the Groq key.").waitFor()
  })

  it("that can't be tested now is saved anyway if its owner says so", async () => {
    await using visitor = await visit(`${place.url}/settings/model`)
    const { page } = visitor
    const form = page.getByRole("form", { name: "Add a key" })
    const field = form.getByLabel("API key", { exact: true })
    await field.fill("gsk_5vJmZ0p9QdXwT4yKcR7u-empty")
    await field.press("Enter")
    await form.getByText("The key is valid, but its Groq account has no credit left.").waitFor()
    await form.getByRole("button", { name: "Save without testing" }).click()
    await page.getByText(/^Used for models · saved .* · not tested$/).waitFor()
  })

  it("is asked for where an agent lacks one, and then used by it", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByText("Agent", { exact: true }).click()
    const agent = page.getByRole("combobox", { name: "Agent", exact: true })
    await page.getByLabel("Task").fill("Say hello.")
    await agent.selectOption({ label: "Gemini CLI" })
    await page.getByText("No API key for Gemini CLI.").waitFor()
    await page.getByRole("button", { name: "Add a key" }).click()
    const dialog = page.getByRole("dialog", { name: "API key for Gemini CLI" })
    await dialog.getByLabel("API key", { exact: true }).fill("AIzaSyA9fJmZ0p9QdXwT4yKcR7uWGdyb3FYn1Lh")
    await dialog.getByText("Detected a Google key (AIza…).").waitFor()
    await page.keyboard.press("Enter")
    await dialog.waitFor({ state: "detached" })
    await agent.selectOption({ label: "gemini · Gemini CLI" })
    await page.getByText("Uses this account").waitFor()
    expect(await page.getByLabel("Task").inputValue()).toBe("Say hello.")
  })
})
