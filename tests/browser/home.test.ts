import type { Message, UserMessage } from "@switchyard/core/models/provider"
import { afterAll, beforeAll, expect, it } from "vitest"
import { makeRepository } from "../functions/agents/repository.ts"
import { FILES } from "./harness/director.ts"
import { dropImages } from "./harness/drop-images.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { chooseSegment } from "./harness/segments.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("home", ({ visit }) => {
  let place: Place
  beforeAll(async () => {
    // With this key the server offers models and agents that need one. No test sends a request with it.
    place = await openPlace({ env: { ANTHROPIC_API_KEY: "not-a-key" } })
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  const sessionCount = async () => (await place.ask("GET", "/api/v1/sessions")).sessions.length

  it("tells a newcomer of both kinds of session, and begins one of an agent without a pointer", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    const { keyboard } = page
    await page.getByRole("heading", { name: /Describe what you want built/ }).waitFor()
    await page.getByRole("img", { name: /The planner, the architect and the coder/ }).waitFor()
    await until(() => page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA")
    await keyboard.press("Shift+Tab")
    await keyboard.press("ArrowRight")
    await page.getByRole("img", { name: /its own branch/ }).waitFor()
    await page.getByLabel("Task").waitFor()
    // The focus stays on the selected option.
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).type)).toBe("radio")
    await keyboard.press("Tab")
    await keyboard.type("Say hello.")
    await until(() => page.getByRole("combobox", { name: "Agent", exact: true }).isEnabled()).toBe(true)
    await keyboard.press("Tab")
    await keyboard.type("Mock")
    await keyboard.press("Control+Enter")
    await page.waitForURL(/\/s\/[^/]+\/a\/main$/)
    await page.getByRole("heading", { name: "May I write MOCK.md?" }).waitFor()
    await page.locator("body").press("a")
    await page.locator('[data-ended="completed"]').waitFor()

    await page.goto("/")
    expect(await page.getByLabel("Agent", { exact: true }).first().isChecked()).toBe(true)
    await until(() => page.getByRole("combobox", { name: "Agent", exact: true }).inputValue()).toBe("mock")
    expect(await page.getByLabel("Task").inputValue()).toBe("")
  })

  it("shows the images of a request before it is sent, and beside it afterwards", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    const field = page.getByRole("textbox", { name: "What to build" })
    await field.fill("A list like this.")
    await field.evaluate(dropImages, ["a.png", "a.svg"])
    const images = page.getByRole("list", { name: "Attached images" }).getByRole("img")
    await images.first().waitFor()
    await page.getByText("Images must be PNG, JPEG, GIF or WebP.").waitFor()
    await page.locator("#agent-run-button").click()
    await page.getByText("scripted/demo can't look at images").waitFor()
    await page.evaluate(() =>
      localStorage.setItem("switchyard.model", JSON.stringify({ chosen: "scripted/test", recent: [] })),
    )
    await page.reload()
    await field.evaluate(dropImages, ["b.png", "c.png", "d.png", "e.png", "f.png", "g.png"])
    await page.getByText(/up to 5 images/).waitFor()
    await until(() => images.count()).toBe(5)
    await page.getByRole("button", { name: "Remove c.png" }).click()
    await until(() => images.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).alt))).toEqual([
      ...["b.png", "d.png", "e.png", "f.png"],
    ])
    await page.locator("#agent-run-button").click()
    await page.waitForURL(/\/s\/[^/]+\/run$/)
    const shown = page.getByRole("article", { name: "Request 1" }).getByRole("img")
    await until(() => shown.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth))).toEqual([
      ...[1200, 1200, 1200, 1200],
    ])
    const received = () => place.director.requests.map(({ messages: [first] }) => first).find(hasImages)?.images
    await until(() => received()?.map(({ name }) => name)).toEqual(["b.png", "d.png", "e.png", "f.png"])
  })

  it("chooses no agent for anybody that only pretends to work", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByText("Agent", { exact: true }).click()
    const agent = page.getByRole("combobox", { name: "Agent", exact: true })
    // Claude is selected, because the server has a key for it.
    await until(() => agent.inputValue()).toBe("claude")
    expect(
      await agent.locator("optgroup").evaluateAll((all) => all.map((one) => (one as HTMLOptGroupElement).label)),
    ).toEqual(["Server credentials", "No key yet", "For trying things out"])
    await page.goto("/guide")
    await page.waitForURL("**/docs")
  })

  it("says beside each field what is wrong with it, and leaves no session behind", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByText("Agent", { exact: true }).click()
    const before = await sessionCount()
    const agent = page.getByRole("combobox", { name: "Agent", exact: true })
    const repository = page.getByRole("combobox", { name: "Repository", exact: true })
    await page.getByLabel("Task").fill("Say hello.")

    await agent.selectOption({ label: "Codex" })
    await page.getByText("No API key for Codex. Add a key").waitFor()
    await page.getByRole("button", { name: "Start" }).click()
    await page.getByText("Add an account, or set the key on the server.").waitFor()
    expect(await agent.getAttribute("aria-invalid")).toBe("true")

    await agent.selectOption({ label: "Mock" })
    expect(await agent.getAttribute("aria-invalid")).toBeNull()
    for (const [path, told] of [
      [place.server.folder, "This folder is not in a git repository."],
      ["tool", "neither a URL nor user@host:path"],
    ] as const) {
      await repository.fill(path)
      await page.getByRole("button", { name: "Start" }).click()
      await page.getByText(told).waitFor()
      expect(await repository.getAttribute("aria-invalid")).toBe("true")
    }
    expect(await page.getByLabel("Task").inputValue()).toBe("Say hello.")
    expect(await sessionCount()).toBe(before)
  })

  it("lets an agent in where somebody has agreed to it, and never before", async () => {
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByText("Agent", { exact: true }).click()
    await page.getByRole("combobox", { name: "Agent", exact: true }).selectOption({ label: "Claude Code" })
    await page.getByRole("combobox", { name: "Permissions" }).selectOption({ label: "Never ask" })
    await page.getByLabel("Task").fill("Say hello.")
    await page.getByRole("button", { name: "Start" }).click()
    const agree = page.getByRole("button", { name: "Allow" })
    await agree.waitFor()
    const asked = Promise.withResolvers<{ consent: boolean; coding_agent: string }>()
    await page.route("**/v1/runs", (route) => {
      asked.resolve(route.request().postDataJSON())
      return route.abort()
    })
    await agree.click()
    expect(await asked.promise).toMatchObject({ consent: true, coding_agent: "claude" })
    await page.getByText("can't be reached").waitFor()
  })

  it("opens a chat over a repository, whose files are read, and says beside its field what is wrong with it", async () => {
    const { folder } = makeRepository(`${place.server.folder}/chatted`, { "src/tea.ts": "export const tea = 1\n" })
    await using visitor = await visit(place.url)
    const { page } = visitor
    await chooseSegment(page, "Chat")
    const before = await sessionCount()
    const repository = page.getByRole("combobox", { name: "Repository", exact: true })
    const open = page.getByRole("button", { name: "Open" })
    expect(await open.isDisabled()).toBe(true)
    await repository.fill(place.server.folder)
    await open.click()
    await page.getByText("This folder is not in a git repository.").waitFor()
    expect(await repository.getAttribute("aria-invalid")).toBe("true")
    expect(await sessionCount()).toBe(before)
    await repository.fill(folder)
    await open.click()
    await page.waitForURL(/\/s\/[^/]+\/chat$/)
    await page.getByRole("checkbox", { name: "src/tea.ts" }).waitFor()
    // The session has no name until its first question.
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByText("New session").waitFor()
    await page.goto("/")
    expect(await page.getByLabel("Chat", { exact: true }).isChecked()).toBe(true)
    await until(() => page.getByRole("combobox", { name: "Repository", exact: true }).inputValue()).toBe(folder)
  })

  it("shows who works and who rests, as it is", async () => {
    place.director.build(FILES, undefined, "A slow list")
    const hold = place.director.hold("style.css")
    const id = await place.session()
    await place.run(id, "A list that takes its time.")
    await hold.reached
    await using visitor = await visit(place.url)
    const rail = visitor.page.getByRole("navigation", { name: "Sessions" })
    const working = rail.getByRole("region", { name: "Working" })
    await working.getByText("A slow list").waitFor()
    expect(await working.innerText()).toContain("File 6 of 7")
    hold.release()
    await rail.getByRole("region", { name: "Today" }).getByText("A slow list").waitFor()
    expect(await working.count()).toBe(0)
    await visitor.page.getByRole("main").getByRole("link", { name: "A slow list" }).click()
    await onRunScreen(visitor.page).finished()
  })

  it("finds what was said in any session by its words, and goes there", async () => {
    const id = await place.session()
    await place.run(id, "A page about herons and their nests.")
    await place.over(id)
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByRole("heading", { level: 1 }).waitFor()
    await page.locator("body").press("Control+k")
    const field = page.getByRole("dialog", { name: "Search everything" }).getByRole("combobox")
    await field.fill("NESTS herons")
    const found = page.getByRole("option", { name: /A page about herons and their nests\./ })
    await found.waitFor()
    await found.click()
    await page.waitForURL(new RegExp(`/s/${id}/run$`))
    await page.locator("body").press("Control+k")
    await field.fill("no such words at all")
    await page.getByText("No results").waitFor()
  })
})

function hasImages(message: Message | undefined): message is UserMessage {
  return message?.role === "user" && (message.images ?? []).length > 0
}
