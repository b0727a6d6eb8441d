import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type AgentsPlace, killRunner, onTerminal, withAgents } from "./harness/agents.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"
import type { Visit } from "./harness/visit.ts"

inChromium("the room of an agent's terminals", ({ visit }) => {
  let place: Place
  let agents: AgentsPlace
  let visitor: Visit
  let page: Page
  beforeAll(async () => {
    place = await openPlace()
    agents = withAgents(place)
    visitor = await visit(place.url)
    page = visitor.page
  })
  afterAll(async () => {
    await visitor?.[Symbol.asyncDispose]()
    await place?.[Symbol.asyncDispose]()
    expect(place?.server.reported ?? []).toEqual([])
  })

  it("is watched, typed into, stopped, and the same in every tab and after its end", async () => {
    const id = await agents.begin({ say: "I begin.", hangs: true })
    await page.goto(`/s/${id}`)
    await page.waitForURL(/\/term$/)
    const terminal = onTerminal(page)
    await terminal.shows("I begin.")

    // What is typed goes to the agent with Enter; the page's own letters are not its business.
    await terminal.enter()
    await page.keyboard.type("and g? more")
    await terminal.shows("and g? more")
    await page.keyboard.press("Enter")
    await until(() => page.locator("#agent-logs").innerText()).toContain("and g? more")
    // From the page, too.
    await page.getByRole("textbox", { name: "Message to the agent" }).fill("And this.")
    await terminal.bar("Tell it").click()
    await until(() => page.locator("#agent-logs").innerText()).toContain("And this.")

    await using second = await visit(`${place.url}/s/${id}/term`, { context: visitor.context })
    const other = onTerminal(second.page)
    await other.shows("I begin.")
    await until(other.text).toBe(await terminal.text())

    await terminal.bar("Stop").click()
    await page.getByText("· ended").waitFor()
    await until(() => terminal.bar("Stop").count()).toBe(0)
    const last = await terminal.text()
    await page.reload()
    await terminal.shows("I begin.")
    await until(terminal.text).toBe(last)
    await until(other.text).toBe(last)
  })

  it("has one size, which its owner's window gives it and others see scaled, until they take it", async () => {
    const id = await agents.begin({ hangs: true })
    await page.goto(`/s/${id}/term`)
    const first = onTerminal(page)
    await page.getByText("yours").waitFor()
    const wide = await first.size()
    await page.setViewportSize({ width: 1100, height: 700 })
    await until(first.size).not.toEqual(wide)
    const [cols, rows] = await first.size()
    expect(cols).toBeLessThan(wide[0])
    expect(rows).toBeLessThan(wide[1])

    await using guest = await visit(`${place.url}/s/${id}/term`, { width: 800, height: 600 })
    const second = onTerminal(guest.page)
    await until(second.size).toEqual([cols, rows])
    const fits = () => second.screen.evaluate((one) => one.scrollWidth <= (one.parentElement?.clientWidth ?? 0))
    await until(fits).toBe(true)
    await second.bar("Fit to me").click()
    await until(second.size).not.toEqual([cols, rows])
    await until(first.size).toEqual(await second.size())
    await place.ask("POST", `/api/v1/sessions/${id}/cancel`)
    await place.over(id)
  })

  it("goes on in another terminal when whoever ran it is killed", async () => {
    const id = await agents.begin({ say: "Working.", hangs: true })
    await page.goto(`/s/${id}/term`)
    const terminal = onTerminal(page)
    await terminal.shows("Working.")
    await killRunner(agents, id)
    const choice = page.getByRole("combobox", { name: "Terminal" })
    await choice.waitFor()
    await terminal.shows("Working.")
    await choice.selectOption({ index: 0 })
    await page.getByText("· ended").waitFor()
    await choice.selectOption({ index: 1 })
    await terminal.bar("Stop").click()
    await page.getByText("· ended").waitFor()
  })

  it("is taken over in the agent's own screen, by keyboard, and handed back", async () => {
    const id = await agents.begin({ say: "Before.", hangs: true })
    await page.goto(`/s/${id}/term`)
    const terminal = onTerminal(page)
    await terminal.shows("Before.")
    await terminal.bar("Take over").focus()
    await page.keyboard.press("Enter")
    await terminal.shows(/^Mock agent, session/)
    // Whoever has asked for it is in it.
    const inTerminal = () => page.evaluate(() => document.activeElement?.closest("[data-pty]") !== null)
    await until(inTerminal).toBe(true)
    await page.keyboard.type("/")
    await page.keyboard.press("ArrowUp")
    await terminal.shows(/> \//)
    // Every key is the program's but the one that leaves.
    await page.keyboard.press("Control+Shift+Backquote")
    await until(() => page.evaluate(() => document.activeElement?.id)).toBe("main")
    await terminal.bar("Hand back").focus()
    await page.keyboard.press("Enter")
    await terminal.shows("Before.")
    await until(inTerminal).toBe(true)
    await terminal.bar("Stop").click()
    await page.getByText("· ended").waitFor()
  })

  it("takes a paste of any length, and the keys after it", async () => {
    const id = await agents.begin({ say: "Before.", hangs: true })
    await page.goto(`/s/${id}/term`)
    const terminal = onTerminal(page)
    await terminal.shows("Before.")
    await terminal.bar("Take over").click()
    await terminal.shows(/^Mock agent, session/)
    let typed = 0
    for (const length of [50_000, 200_000, 3_000_000]) {
      await terminal.screen.locator("textarea").evaluate((area, size) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData("text/plain", "p".repeat(size))
        area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
      }, length)
      await terminal.enter()
      await page.keyboard.type("end")
      typed += length + 3
      await terminal.shows(`\n${typed} characters typed`)
      await terminal.shows("ppend")
    }
    await terminal.bar("Stop").click()
    await page.getByText("· ended").waitFor()
  })

  it("is searched, from its button and from the page around it", async () => {
    const id = await agents.begin({ say: "one two\none three\nfour" }, { done: true })
    await page.goto(`/s/${id}/term`)
    const terminal = onTerminal(page)
    await terminal.shows("four")
    await terminal.bar("Find in the terminal").click()
    const field = page.getByRole("textbox", { name: "Find in the terminal" })
    await field.fill("one")
    const told = page.getByRole("search").getByRole("status")
    await until(() => told.innerText()).toBe("1 of 2")
    await page.keyboard.press("Enter")
    await until(() => told.innerText()).toBe("2 of 2")
    await field.fill("nowhere")
    await until(() => told.innerText()).toBe("Not found")
    await page.keyboard.press("Escape")
    await until(() => field.count()).toBe(0)
    await page.getByRole("textbox", { name: "Next task" }).focus()
    await page.keyboard.press("Control+f")
    await field.waitFor()
  })

  it("plays its recording, by keyboard, and as the session's own line says", async () => {
    const id = await agents.begin({ say: "I begin.", duration_ms: 800 }, { done: true })
    await page.goto(`/s/${id}/term`)
    const terminal = onTerminal(page)
    await terminal.shows("turn completed")
    await terminal.bar("Recording").click()
    const moment = page.getByRole("slider", { name: "Moment of the recording" })
    await terminal.bar("Pause the recording").waitFor()
    await terminal.shows("turn completed")
    await terminal.bar("Play the recording").waitFor()
    await terminal.bar("Play the recording").focus()
    await page.keyboard.press("Home")
    await until(terminal.text).toBe("")
    await page.keyboard.press("ArrowRight")
    await terminal.shows("turn completed")
    await moment.focus()
    await page.keyboard.press("Home")
    await until(terminal.text).toBe("")
    await page.keyboard.press(">")
    expect(await page.getByRole("combobox", { name: "Speed" }).inputValue()).toBe("2")
    await page.keyboard.press("Space")
    await terminal.shows("turn completed")
    await terminal.bar("Back to the screen").click()
    await until(() => moment.count()).toBe(0)
    await terminal.shows("turn completed")

    const seqOf = async (type: string) => (await agents.heard(id, type)).seq
    await page.goto(`/s/${id}/term?seq=${await seqOf("agent_session_opened")}`)
    await page.getByText("This is an earlier moment").waitFor()
    await terminal.shows("session ")
    expect(await terminal.text()).not.toContain("Step 10")
    await page.goto(`/s/${id}/term?seq=${await seqOf("agent_turn_finished")}`)
    await terminal.shows("turn completed")
  })

  it("fits on a phone, which has the keys that its keyboard lacks", async () => {
    const id = await agents.begin({ say: "On a phone.", hangs: true })
    await using phone = await visit(`${place.url}/s/${id}/term`, { width: 390 })
    const terminal = onTerminal(phone.page)
    const tap = (name: string) => phone.page.getByRole("button", { name, exact: true }).tap()
    await terminal.shows("On a phone.")
    // It doesn't take the size of whoever sits at a desk, but when it is told to.
    expect(await terminal.size()).toEqual([110, 32])
    const sideways = () => phone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(await sideways()).toBe(0)
    const width = () => terminal.screen.locator(".xterm-screen").evaluate((screen) => screen.clientWidth)
    expect(await width()).toBeLessThan(390)
    await phone.page.getByRole("button", { name: /Draw it larger/ }).tap()
    await until(width).toBeGreaterThan(390)
    expect(await sideways()).toBe(0)

    await tap("Take over")
    await terminal.shows(/^Mock agent, session/)
    await terminal.screen.tap()
    await phone.page.keyboard.type("x")
    await tap("Tab")
    await phone.page.keyboard.type("y")
    await terminal.shows(/> x\s+y/)
    // Ctrl goes with the next letter: this program is left with Ctrl-D.
    await tap("Ctrl")
    await phone.page.keyboard.type("d")
    await terminal.shows("On a phone.")
    await tap("Log")
    await until(() => phone.page.locator("#agent-logs").innerText()).toContain("On a phone.")
    await tap("Terminal")
    await tap("Fit to me")
    await until(terminal.size).not.toEqual([110, 32])
    await tap("Stop")
    await phone.page.getByText("· ended").waitFor()
  })

  it("says that the connection is gone, takes nothing meanwhile, and goes on where it was", async () => {
    const id = await agents.begin({ say: "Here.", hangs: true })
    await page.goto(`/s/${id}/term`)
    const terminal = onTerminal(page)
    await terminal.shows("Here.")
    place.wire.cut()
    await page.getByText("what is typed now isn't sent").waitFor()
    await terminal.enter()
    await page.keyboard.type("lost words")
    place.wire.mend()
    await until(() => page.getByText("what is typed now isn't sent").count()).toBe(0)
    await page.keyboard.type("heard words")
    await terminal.shows("heard words")
    expect(await terminal.text()).not.toContain("lost words")
    await terminal.bar("Stop").click()
    await page.getByText("· ended").waitFor()
  })

  it("has nothing to show before an agent begins, and says what can't be read", async () => {
    const id = await place.session()
    await page.goto(`/s/${id}/term`)
    await page.getByText("No terminal yet").waitFor()
    await page.route("**/terminals/*/stream*", (route) => route.fulfill({ status: 404, json: {} }))
    await agents.begin({}, { sessionId: id, done: true })
    await page.getByText("This terminal can't be read.").waitFor()
    await page.unroute("**/terminals/*/stream*")
    await page.getByRole("button", { name: "Try again" }).click()
    await onTerminal(page).shows("turn completed")
  })
})
