import type { Page } from "playwright-core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { layoutShift, observeLayoutShifts } from "./harness/layout-shifts.ts"
import { openManySessions } from "./harness/many-sessions.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("the board", ({ visit }) => {
  let place: Place
  let many: ReturnType<typeof openManySessions>
  beforeEach(async () => {
    place = await openPlace()
    many = openManySessions(place)
  })
  afterEach(() => place?.[Symbol.asyncDispose]())

  const column = (page: Page, name: string) => page.getByRole("region", { name: new RegExp(`^${name} \\d+$`) })
  const card = (page: Page, id: string) => page.locator(`[data-card="${id}"]`)
  const columnOf = (page: Page, id: string) =>
    page.locator("[data-column]", { has: card(page, id) }).getAttribute("data-column")
  const names = (page: Page) => page.locator("[data-card] a").allInnerTexts()
  const stored = (id: string) => place.ask("GET", `/api/v1/sessions/${id}`)

  it("shows a question and a result as they come, without a request for the list", async () => {
    await many.begin("one", "Rotate the token")
    await many.begin("two", "Fix the upload")
    await using visitor = await visit(place.url)
    const { page } = visitor
    await until(() => column(page, "Working").locator("[data-card]").count()).toBe(2)
    const lists: string[] = []
    page.on("request", (request) => request.url().includes("/api/v1/sessions") && lists.push(request.url()))
    await many.ask("one", "Which token shall I rotate?")
    await column(page, "Needs you").getByText("Which token shall I rotate?").waitFor()
    expect(lists).toEqual([])
    const row = page.getByRole("navigation", { name: "Sessions" }).locator('a[href="/s/one"]')
    await until(() => row.innerText()).toMatch(/Waiting for you/)
    await many.end("two", { changed: true })
    await until(() => columnOf(page, "two")).toBe("review")
    expect(await card(page, "two").innerText()).toMatch(/Agent · orchard · Claude Code[\s\S]*\+128 −37[\s\S]*4 files/)
    // The board may load the list of sessions once, because its order has changed.
    expect(lists.length).toBeLessThanOrEqual(1)
  })

  it("has a result to review until its session was opened, and remembers that", async () => {
    await many.begin("one", "Rotate the token")
    await many.end("one", { changed: true })
    await using visitor = await visit(place.url)
    const { page } = visitor
    await until(() => columnOf(page, "one")).toBe("review")
    expect((await stored("one")).column).toBe("review")
    await card(page, "one").getByRole("link").click()
    await until(async () => (await stored("one")).column).toBe("done")
    await page.getByRole("link", { name: "Switchyard" }).first().click()
    await until(() => columnOf(page, "one")).toBe("done")
  })

  it("is filtered, selected, archived and restored by keyboard alone", async () => {
    for (const n of [1, 2, 3, 4]) {
      await many.begin(`s-${n}`, n === 4 ? "Pear tree" : `Apple tree ${n}`, n === 3 ? "chat" : "agent")
      await many.end(`s-${n}`, { changed: false })
    }
    await using visitor = await visit(place.url)
    const { page } = visitor
    const { keyboard } = page
    await until(() => names(page).then((all) => all.length)).toBe(4)
    await page.getByRole("link", { name: "Switchyard" }).first().focus()
    await keyboard.press("/")
    await keyboard.type("apple tree")
    await until(() => names(page)).toEqual(["Apple tree 3", "Apple tree 2", "Apple tree 1"])
    await page.getByLabel("Filter by type").selectOption("Agent")
    await until(() => names(page)).toEqual(["Apple tree 2", "Apple tree 1"])
    await page.getByRole("button", { name: "Clear" }).click()
    await card(page, "s-4").getByRole("link").focus()
    await keyboard.press("x")
    await keyboard.press("ArrowDown")
    await keyboard.press("j")
    await keyboard.press("X")
    await page.getByText("3 sessions selected").waitFor()
    await keyboard.press("e")
    await until(() => names(page)).toEqual(["Apple tree 1"])
    await page.getByLabel("Status").selectOption("Archived")
    await until(() => names(page)).toEqual(["Pear tree", "Apple tree 3", "Apple tree 2"])
    await card(page, "s-4").getByRole("link").focus()
    await keyboard.press("e")
    await until(() => names(page)).toEqual(["Apple tree 3", "Apple tree 2"])
    // The next card has moved up and has the focus.
    await until(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Apple tree 3")
    await page.getByLabel("Status").selectOption("Any status")
    await until(() => names(page)).toEqual(["Pear tree", "Apple tree 1"])
    await card(page, "s-1").getByRole("link").focus()
    await keyboard.press("Delete")
    await page.getByRole("dialog", { name: "Delete 1 session?" }).getByRole("button", { name: "Delete" }).click()
    await until(() => names(page)).toEqual(["Pear tree"])
    await keyboard.press("Escape")
    await card(page, "s-4").getByRole("link").press("Enter")
    await page.waitForURL(/\/s\/s-4\//)
  })

  it("says how many sessions were deleted if some couldn't be, and tries only the others again", async () => {
    for (const n of [1, 2, 3]) await many.begin(`s-${n}`, `Session ${n}`)
    for (const n of [1, 2, 3]) await many.end(`s-${n}`, { changed: false })
    await using visitor = await visit(place.url)
    const { page } = visitor
    const deleted: string[] = []
    let isRefused = true
    await page.route(/\/api\/v1\/sessions\/s-\d$/, async (route) => {
      if (route.request().method() !== "DELETE") return route.fallback()
      const id = new URL(route.request().url()).pathname.slice(-3)
      deleted.push(id)
      if (id !== "s-2" || !isRefused) return route.fallback()
      const error = { code: "conflict", message: "The session is busy.", details: {} }
      return route.fulfill({ status: 409, json: { error } })
    })
    for (const n of [1, 2, 3]) await page.getByRole("checkbox", { name: `Select Session ${n}` }).check()
    await page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Delete" }).click()
    await dialog.getByText("Deleted 2 of 3 sessions.").waitFor()
    await dialog.getByText("The session is busy.").waitFor()
    await until(() => names(page)).toEqual(["Session 2"])
    isRefused = false
    await dialog.getByRole("button", { name: "Delete" }).click()
    await until(() => page.getByRole("dialog").count()).toBe(0)
    await until(() => names(page)).toEqual([])
    expect(deleted.toSorted()).toEqual(["s-1", "s-2", "s-2", "s-3"])
  })

  it("has a question answered in place, and goes on to the next", async () => {
    for (const id of ["one", "two"]) {
      await many.begin(id, `Session ${id}`)
      await many.ask(id, `Which port for ${id}?`)
    }
    await using visitor = await visit(place.url)
    const { page } = visitor
    await page.getByRole("button", { name: "Answer question in Session one" }).click()
    const answer = async (id: string) => {
      const dialog = page.getByRole("dialog", { name: `Session ${id}` })
      await dialog.getByRole("heading", { name: `Which port for ${id}?` }).waitFor()
      await dialog.getByRole("textbox").fill("8080")
      await page.keyboard.press("Enter")
    }
    await answer("one")
    await answer("two")
    await until(() => page.getByRole("dialog").count()).toBe(0)
    expect([(await stored("one")).open_questions, (await stored("two")).open_questions]).toEqual([0, 0])
  })

  it("leads from an answer in a session to the next session that asks", async () => {
    for (const id of ["one", "two"]) {
      await many.begin(id, `Session ${id}`)
      await many.ask(id, `Which port for ${id}?`)
    }
    await using visitor = await visit(`${place.url}/s/one`)
    const { page } = visitor
    await page.getByRole("heading", { name: "Which port for one?" }).waitFor()
    await page.locator("[data-question] input").fill("8080")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Next question" }).click()
    await page.getByRole("heading", { name: "Which port for two?" }).waitFor()
  })

  it("stays small with 200 sessions, and filters all of them", async () => {
    await many.fill(200)
    await using visitor = await visit(place.url)
    const { page } = visitor
    await until(() => page.locator("[data-column]").count()).toBe(4)
    await until(async () =>
      (await page.locator("[data-column] h2 span").allInnerTexts()).reduce((a, b) => a + Number(b), 0),
    ).toBe(200)
    expect(await page.evaluate(() => document.querySelectorAll("[data-column] *").length)).toBeLessThan(1500)
    const all = await names(page)
    const field = page.getByLabel("Filter by name, prompt or message")
    await field.pressSequentially("flaky test")
    await until(async () => (await names(page)).every((name) => name.includes("flaky"))).toBe(true)
    const found = await names(page)
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThan(all.length)
  })
})

inChromium("home", ({ visit }) => {
  it("doesn't move while it loads, with sessions or without", async () => {
    await using place = await openPlace()
    const shiftOf = async (width: number) => {
      await using visitor = await visit(`${place.url}/config.json`, { width })
      const { page } = visitor
      await observeLayoutShifts(page.context())
      await page.goto(place.url)
      await page.getByRole("heading", { level: 1 }).waitFor()
      await page.waitForLoadState("networkidle")
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
      return await layoutShift(page)
    }
    for (const width of [1440, 1280, 390]) expect(await shiftOf(width), `without sessions, ${width}`).toBeLessThan(0.02)
    await openManySessions(place).fill(20)
    for (const width of [1440, 1280, 390]) expect(await shiftOf(width), `with sessions, ${width}`).toBeLessThan(0.02)
  })
})
