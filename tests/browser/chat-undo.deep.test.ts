import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createScriptedProvider, textAnswer } from "../fixtures/scripted-model.ts"
import { never } from "../settings.ts"
import { logOf } from "./harness/long.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("the chat over a session's own files", ({ visit }) => {
  const opened = new AsyncDisposableStack()
  const model = createScriptedProvider(({ system, messages }) =>
    textAnswer(
      system?.startsWith("You write the message of a git commit")
        ? "docs: write of one"
        : JSON.stringify(messages.at(-1)).includes("Write one")
          ? "I do.\n\na.md\n<<<< EDIT\n==== REPLACE\none\n>>>> EDIT END\n"
          : "Nothing.",
    ),
  )
  let place: Place
  let page: Page
  beforeAll(async () => {
    place = opened.use(await openPlace({ model }))
    const { id } = await place.ask("POST", "/api/v1/sessions", {})
    page = opened.use(await visit(`${place.url}/s/${id}/chat`)).page
  })
  afterAll(() => opened.disposeAsync())

  const card = () => page.getByRole("region", { name: "Edit to a.md" })

  it("is in the list of sessions by what was asked in it, and as what came of it", async () => {
    const row = page.getByRole("navigation", { name: "Sessions" }).locator('a[href^="/s/"]')
    await until(() => row.textContent()).toContain("Not started")
    await page.getByRole("textbox", { name: "Message" }).fill("What is here?")
    await page.getByRole("button", { name: "Send" }).click()
    await until(() => row.textContent()).toMatch(/^What is here\?.*Done/)
  })

  it("commits them with a model's message, and says of an undone edit that it is", async () => {
    await page.getByRole("textbox", { name: "Message" }).fill("Write one")
    await page.getByRole("button", { name: "Send" }).click()
    await until(() => card().textContent()).toContain("✓ created")
    await page.getByRole("button", { name: "Commit", exact: true }).click()
    await until(() => page.getByRole("log").textContent()).toContain("docs: write of one")
    await page.getByRole("button", { name: "Undo edit" }).click()
    await until(() => card().textContent()).toContain("Reverted")
    expect(await card().textContent()).not.toContain("created")
  })

  it("commits once, where the answer was lost and it is asked for again", async () => {
    const { id } = /\/s\/(?<id>[^/]+)/.exec(page.url())?.groups ?? {}
    const commits = async () => {
      const { messages, in_flight } = await place.ask("GET", `/api/v1/sessions/${id}/chat`)
      const asked = messages.filter(({ content }: { content: string }) => content === "Commit the changes.")
      return { asked: asked.length, isBusy: in_flight !== null }
    }
    const before = (await commits()).asked
    await place.ask("PUT", `/workspace/file?workspace_id=${id}`, { path: "b.md", content: "two\n" })
    const shown = Promise.withResolvers<void>()
    let lost = 0
    // The server receives the commit, but the page learns that neither from the response nor from the chat, which is
    // held.
    await page.route(/\/chat$/, async (route) => {
      await shown.promise
      await route.fallback()
    })
    await page.route(/\/chat\/commit$/, async (route) => {
      if (lost === 2) return route.fallback()
      await route.fetch()
      lost++
      await route.abort()
    })
    const button = page.getByRole("button", { name: "Commit", exact: true })
    await button.click()
    await until(async () => lost).toBe(2)
    await until(commits).toEqual({ asked: before + 1, isBusy: false })
    const answer = page.waitForResponse(/\/chat\/commit$/)
    await button.click()
    expect((await answer).status()).toBe(202)
    expect(await commits()).toEqual({ asked: before + 1, isBusy: false })
    shown.resolve()
    await page.unrouteAll({ behavior: "wait" })
  })

  it("says below the message which pages will be included, and has the summaries of those that were", async () => {
    const { id = "" } = /\/s\/(?<id>[^/]+)/.exec(page.url())?.groups ?? {}
    const field = page.getByRole("textbox", { name: "Message" })
    const pages = page.getByRole("list", { name: "Linked pages" })
    const button = (name: string) => page.getByRole("button", { name, exact: true })
    await field.fill("What does https://example.com/leases say?")
    await until(() => pages.innerText()).toMatch(/example\.com\/leases\s+will be included/)
    await button("Exclude https://example.com/leases").click()
    await until(() => pages.innerText()).toMatch(/example\.com\/leases\s+left out/)
    await field.fill("")

    const { chat_id } = await place.ask("GET", `/api/v1/sessions/${id}/chat`)
    const read = {
      url: "https://example.com/leases",
      title: "Leases",
      text: "Long.",
      error: null,
      summary: "In short.",
    }
    const session = await logOf(place, id)
    await session.decide(() => [{ type: "chat_page_added", chat_id, page: read }], { signal: never })
    await until(() => pages.innerText()).toMatch(/Leases\s+read/)
    await pages.getByRole("button", { name: "Leases read" }).click()
    await until(() => page.getByRole("region", { name: "Summary of Leases" }).innerText()).toBe("In short.")
    await pages.getByRole("button", { name: "Remove https://example.com/leases" }).click()
    await until(() => pages.count()).toBe(0)
  })

  it("saves a snippet of the message, changes it, inserts it where the cursor is, and deletes it", async () => {
    const field = page.getByRole("textbox", { name: "Message" })
    const stored = async () => (await place.ask("GET", "/api/v1/config/snippets")).snippets
    const button = (name: string) => page.getByRole("button", { name, exact: true })
    await field.fill("Explain this")
    await button("Snippets").click()
    await button("New snippet").click()
    expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("Explain this")
    await page.getByLabel("Name", { exact: true }).fill("Explain")
    await button("Save").click()
    await until(stored).toEqual([{ title: "Explain", text: "Explain this" }])
    await button("Edit Explain").click()
    await page.getByLabel("Text", { exact: true }).fill(" briefly")
    await button("Save").click()
    await until(stored).toEqual([{ title: "Explain", text: " briefly" }])
    await page.getByRole("button", { name: "Explain briefly" }).click()
    expect(await field.inputValue()).toBe("Explain this briefly")
    await button("Snippets").click()
    await button("Delete Explain").click()
    await until(stored).toEqual([])
  })

  it("keeps the message and its image where the window becomes narrow, and wide again", async () => {
    await page.keyboard.press("Escape")
    await until(() => page.getByRole("dialog").count()).toBe(0)
    const field = page.getByRole("textbox", { name: "Message" })
    const images = page.getByRole("form", { name: "Next message" }).locator("img")
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    )
    await page.locator("input[type=file]").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: png })
    await field.fill("What is it?")
    await until(() => images.count()).toBe(1)
    for (const width of [600, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      const region = page.getByRole("region", { name: "Files", exact: true })
      await until(() => region.isVisible()).toBe(width > 768)
      expect([await field.inputValue(), await images.count()]).toEqual(["What is it?", 1])
    }
  })
})
