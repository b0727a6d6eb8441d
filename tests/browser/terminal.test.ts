import { expect, it } from "vitest"
import { someOf } from "../settings.ts"
import { killRunner, onTerminal } from "./harness/agents.ts"
import { inAgentsRoom } from "./harness/agents-room.ts"
import { until } from "./harness/until.ts"

inAgentsRoom("the room of an agent's terminals", (room) => {
  it("is watched, typed into, stopped, and the same in every tab and after its end", async () => {
    const id = await room.agents.begin({ say: "I begin.", hangs: true })
    await room.page.goto(`/s/${id}`)
    await room.page.waitForURL(/\/a\/main$/)
    await room.page.getByRole("button", { name: "Mock's terminal" }).click()
    await room.page.waitForURL(/\/term\//)
    const terminal = onTerminal(room.page)
    await terminal.shows("I begin.")

    // Enter sends the typed text to the agent; the page's own letter keys don't apply there.
    await terminal.enter()
    await room.page.keyboard.type("and g? more")
    await terminal.shows("and g? more")
    await room.page.keyboard.press("Enter")
    await until(() => room.page.locator("#agent-logs").innerText()).toContain("and g? more")
    // A message from the page's own field reaches the agent, too.
    await room.page.getByRole("textbox", { name: "Message to the agent" }).fill("And this.")
    await terminal.bar("Send").click()
    await until(() => room.page.locator("#agent-logs").innerText()).toContain("And this.")

    await using second = await room.visit(`${room.place.url}/s/${id}/term`, { context: room.page.context() })
    const other = onTerminal(second.page)
    await other.shows("I begin.")
    await until(other.text).toBe(await terminal.text())

    await terminal.bar("Stop").click()
    await room.page.getByText("· ended").waitFor()
    await until(() => terminal.bar("Stop").count()).toBe(0)
    const last = await terminal.text()
    await room.page.reload()
    await terminal.shows("I begin.")
    await until(terminal.text).toBe(last)
    await until(other.text).toBe(last)
  })

  it("tells why a task failed, and tries it again on the account that it names", async () => {
    const fails = { status: 401, message: "invalid x-api-key" }
    const id = await room.agents.begin({ fails }, { done: true })
    await room.page.goto(`/s/${id}/term`)
    const notice = room.page.getByRole("alert").filter({ hasText: "The task failed" })
    await notice.getByText("invalid x-api-key").waitFor()
    expect(await notice.getByRole("link", { name: "Account mock" }).getAttribute("href")).toBe("/settings/accounts")
    await room.page.getByText(/\d+ × \d+ · failed/).waitFor()
    expect(await room.page.getByText("exit 0").count()).toBe(0)
    const { run_id } = (await room.place.ask("GET", `/api/v1/sessions/${id}`)).last_run
    await notice.getByRole("button", { name: "Try again" }).click()
    await until(async () => (await room.place.ask("GET", `/api/v1/sessions/${id}`)).last_run.run_id).not.toBe(run_id)
    await room.place.over(id)
    await notice.waitFor()

    // The conversation, which opens first, shows the same notice.
    await room.page.goto(`/s/${id}`)
    await room.page.getByRole("textbox", { name: "Message to Mock" }).waitFor()
    await notice.getByText("invalid x-api-key").waitFor()
    const { run_id: second } = (await room.place.ask("GET", `/api/v1/sessions/${id}`)).last_run
    await notice.getByRole("button", { name: "Try again" }).click()
    await until(async () => (await room.place.ask("GET", `/api/v1/sessions/${id}`)).last_run.run_id).not.toBe(second)
    await room.place.over(id)
    await notice.waitFor()
  })

  it("has one size, which its owner's window gives it and others see scaled, until they take it", async () => {
    const id = await room.agents.begin({ hangs: true })
    await room.page.goto(`/s/${id}/term`)
    const first = onTerminal(room.page)
    await room.page.getByText("sized by you").waitFor()
    const wide = await first.size()
    await room.page.setViewportSize({ width: 1100, height: 700 })
    await until(first.size).not.toEqual(wide)
    const [cols, rows] = await first.size()
    expect(cols).toBeLessThan(wide[0])
    expect(rows).toBeLessThan(wide[1])

    await using guest = await room.visit(`${room.place.url}/s/${id}/term`, { width: 800, height: 600 })
    const second = onTerminal(guest.page)
    await until(second.size).toEqual([cols, rows])
    const fits = () => second.screen.evaluate((one) => one.scrollWidth <= (one.parentElement?.clientWidth ?? 0))
    await until(fits).toBe(true)
    await second.bar("Fit to my window").click()
    await until(second.size).not.toEqual([cols, rows])
    await until(first.size).toEqual(await second.size())
    await room.place.ask("POST", `/api/v1/sessions/${id}/cancel`)
    await room.place.over(id)
  })

  it("goes on in another terminal when whoever ran it is killed", async () => {
    const id = await room.agents.begin({ say: "Working.", hangs: true })
    await room.page.goto(`/s/${id}/term`)
    const terminal = onTerminal(room.page)
    await terminal.shows("Working.")
    await killRunner(room.agents, id)
    const choice = room.page.getByRole("combobox", { name: "Terminal" })
    await choice.waitFor()
    await terminal.shows("Working.")
    await choice.selectOption({ index: 0 })
    await room.page.getByText("· ended").waitFor()
    await choice.selectOption({ index: 1 })
    await terminal.bar("Stop").click()
    await room.page.getByText("· ended").waitFor()
  })

  it("is taken over in the agent's own screen, by keyboard, and handed back", async () => {
    const id = await room.agents.begin({ say: "Before.", hangs: true })
    await room.page.goto(`/s/${id}/term`)
    const terminal = onTerminal(room.page)
    await terminal.shows("Before.")
    await terminal.bar("Take control").focus()
    await room.page.keyboard.press("Enter")
    await terminal.shows(/^Mock agent, session/)
    // Taking control moves the focus into the terminal.
    const inTerminal = () => room.page.evaluate(() => document.activeElement?.closest("[data-pty]") !== null)
    await until(inTerminal).toBe(true)
    await room.page.keyboard.type("/")
    await room.page.keyboard.press("ArrowUp")
    await terminal.shows(/> \//)
    // The program receives every key except the shortcut that leaves the terminal.
    await room.page.keyboard.press("Control+Shift+Backquote")
    await until(() => room.page.evaluate(() => document.activeElement?.id)).toBe("main")
    await terminal.bar("Hand back").focus()
    await room.page.keyboard.press("Enter")
    await terminal.shows("Before.")
    await until(inTerminal).toBe(true)
    await terminal.bar("Stop").click()
    await room.page.getByText("· ended").waitFor()
  })

  it("is taken over from the conversation, and takes every letter, while another agent asks", async () => {
    const { page } = room
    const id = await room.agents.begin({ say: "Before.", hangs: true })
    const prompt = `Do it. mock: ${JSON.stringify({ files: { "a.txt": "1" } })}`
    const asking = { name: "ada", coding_agent: "mock", mode: "ask", prompt }
    await room.place.ask("POST", `/api/v1/sessions/${id}/agents`, asking)
    await page.goto(`/s/${id}/a/main`)
    const question = page.getByRole("region", { name: "May I write a.txt?" })
    await question.waitFor()
    await page.locator("#main").press("t")
    const terminal = onTerminal(page)
    await terminal.shows("Before.")
    await terminal.bar("Take control").click()
    await terminal.shows(/^Mock agent, session/)
    await terminal.bar("Hand back").waitFor()
    await until(() => page.evaluate(() => document.activeElement?.closest("[data-pty]") !== null)).toBe(true)
    await page.keyboard.type("sad")
    await terminal.shows(/> sad/)
    // Letters aren't shortcuts outside the terminal either: the user may have clicked elsewhere by accident.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.type("asdt")
    expect(new URL(page.url()).pathname).toMatch(/\/term\//)
    await terminal.bar("Hand back").click()
    await terminal.shows("Before.")
    await terminal.bar("Take control").waitFor()
    expect(await question.count()).toBe(1)
    const { questions } = await room.place.ask("GET", `/api/v1/sessions/${id}/questions`)
    expect(questions).toHaveLength(1)
    await page.locator("#main").press("d")
    await until(() => question.count()).toBe(0)
    await terminal.bar("Stop").click()
  })

  it("says that the agent's screen closed, takes no key as a shortcut, and leads back", async () => {
    const { page } = room
    const id = await room.agents.begin({ say: "Before.", hangs: true })
    const prompt = `Do it. mock: ${JSON.stringify({ files: { "a.txt": "1" } })}`
    const asking = { name: "ada", coding_agent: "mock", mode: "ask", prompt }
    await room.place.ask("POST", `/api/v1/sessions/${id}/agents`, asking)
    await page.goto(`/s/${id}/a/main`)
    const question = page.getByRole("region", { name: "May I write a.txt?" })
    await question.waitFor()
    await page.locator("#main").press("t")
    const terminal = onTerminal(page)
    await terminal.bar("Take control").click()
    await terminal.shows(/^Mock agent, session/)
    await until(() => page.evaluate(() => document.activeElement?.closest("[data-pty]") !== null)).toBe(true)
    await page.keyboard.press("Control+d")
    const closed = page.getByRole("status").filter({ hasText: "The agent's interface closed" })
    await closed.waitFor()
    expect(await terminal.bar("Hand back").count()).toBe(0)
    // Letters typed for the closed program must not answer another agent's question.
    await page.keyboard.type("sad")
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.type("sadt")
    expect(await closed.count()).toBe(1)
    const { questions } = await room.place.ask("GET", `/api/v1/sessions/${id}/questions`)
    expect(questions).toHaveLength(1)
    await closed.getByRole("button", { name: "Show terminal" }).click()
    await terminal.shows("Before.")
    await terminal.bar("Take control").click()
    await terminal.shows(/^Mock agent, session/)
    await until(() => page.evaluate(() => document.activeElement?.closest("[data-pty]") !== null)).toBe(true)
    await page.keyboard.press("Control+d")
    await closed.getByRole("button", { name: "Back to conversation" }).click()
    await page.waitForURL(/\/a\/main$/)
    await room.place.ask("POST", `/api/v1/sessions/${id}/cancel`)
  })

  it("takes a paste of any length, and the keys after it", async () => {
    const id = await room.agents.begin({ say: "Before.", hangs: true })
    await room.page.goto(`/s/${id}/term`)
    const terminal = onTerminal(room.page)
    await terminal.shows("Before.")
    await terminal.bar("Take control").click()
    await terminal.shows(/^Mock agent, session/)
    let typed = 0
    for (const length of someOf([50_000, 200_000, 3_000_000], 2)) {
      await terminal.screen.locator("textarea").evaluate((area, size) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData("text/plain", "p".repeat(size))
        area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
      }, length)
      await terminal.enter()
      await room.page.keyboard.type("end")
      typed += length + 3
      await terminal.shows(`\n${typed} characters typed`)
      await terminal.shows("ppend")
    }
    await terminal.bar("Stop").click()
    await room.page.getByText("· ended").waitFor()
  })

  it("is searched, from its button and from the page around it", async () => {
    const id = await room.agents.begin({ say: "one two\none three\nfour" }, { done: true })
    await room.page.goto(`/s/${id}/term`)
    const terminal = onTerminal(room.page)
    await terminal.shows("four")
    await terminal.bar("Find in terminal").click()
    const field = room.page.getByRole("textbox", { name: "Find in terminal" })
    await field.fill("one")
    const told = room.page.getByRole("search").getByRole("status")
    await until(() => told.innerText()).toBe("1 of 2")
    await room.page.keyboard.press("Enter")
    await until(() => told.innerText()).toBe("2 of 2")
    await field.fill("nowhere")
    await until(() => told.innerText()).toBe("Not found")
    await room.page.keyboard.press("Escape")
    await until(() => field.count()).toBe(0)
    await room.page.getByRole("textbox", { name: "Next task" }).focus()
    await room.page.keyboard.press("Control+f")
    await field.waitFor()
  })

  it("plays its recording, by keyboard, and as the session's own line says", async () => {
    const id = await room.agents.begin({ say: "I begin.", duration_ms: 800 }, { done: true })
    await room.page.goto(`/s/${id}/term`)
    const terminal = onTerminal(room.page)
    await terminal.shows("turn completed")
    await terminal.bar("Recording").click()
    const moment = room.page.getByRole("slider", { name: "Playback position" })
    await terminal.bar("Pause playback").waitFor()
    await terminal.shows("turn completed")
    await terminal.bar("Play recording").waitFor()
    await terminal.bar("Play recording").focus()
    await room.page.keyboard.press("Home")
    await until(terminal.text).toBe("")
    await room.page.keyboard.press("ArrowRight")
    await terminal.shows("turn completed")
    await moment.focus()
    await room.page.keyboard.press("Home")
    await until(terminal.text).toBe("")
    await room.page.keyboard.press(">")
    expect(await room.page.getByRole("combobox", { name: "Speed" }).inputValue()).toBe("2")
    await room.page.keyboard.press("Space")
    await terminal.shows("turn completed")
    await terminal.bar("Back to terminal").click()
    await until(() => moment.count()).toBe(0)
    await terminal.shows("turn completed")

    const seqOf = async (type: string) => (await room.agents.heard(id, type)).seq
    await room.page.goto(`/s/${id}/term?seq=${await seqOf("agent_session_opened")}`)
    await room.page.getByText("You're viewing an earlier point").waitFor()
    await terminal.shows("session ")
    expect(await terminal.text()).not.toContain("Step 10")
    await room.page.goto(`/s/${id}/term?seq=${await seqOf("agent_turn_finished")}`)
    await terminal.shows("turn completed")
  })

  it("fits on a phone, which has the keys that its keyboard lacks", async () => {
    const id = await room.agents.begin({ say: "On a phone.", hangs: true })
    await using phone = await room.visit(`${room.place.url}/s/${id}/term`, { width: 390 })
    const terminal = onTerminal(phone.page)
    const tap = (name: string) => phone.page.getByRole("button", { name, exact: true }).tap()
    await terminal.shows("On a phone.")
    // A phone leaves the terminal at the size of the desktop viewer until the user takes control.
    expect(await terminal.size()).toEqual([110, 32])
    const sideways = () => phone.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(await sideways()).toBe(0)
    const width = () => terminal.screen.locator(".xterm-screen").evaluate((screen) => screen.clientWidth)
    expect(await width()).toBeLessThan(390)
    await phone.page.getByRole("button", { name: /Zoom in/ }).tap()
    await until(width).toBeGreaterThan(390)
    expect(await sideways()).toBe(0)

    await tap("Take control")
    await terminal.shows(/^Mock agent, session/)
    await terminal.screen.tap()
    await phone.page.keyboard.type("x")
    await tap("Tab")
    await phone.page.keyboard.type("y")
    await terminal.shows(/> x\s+y/)
    // The Ctrl button applies to the next letter: Ctrl-D ends this program.
    await tap("Ctrl")
    await phone.page.keyboard.type("d")
    await terminal.shows("On a phone.")
    await tap("Log")
    await until(() => phone.page.locator("#agent-logs").innerText()).toContain("On a phone.")
    await tap("Terminal")
    await tap("Fit to my window")
    await until(terminal.size).not.toEqual([110, 32])
    await tap("Stop")
    await phone.page.getByText("· ended").waitFor()
  })

  it("says that the connection is gone, takes nothing meanwhile, and goes on where it was", async () => {
    const id = await room.agents.begin({ say: "Here.", hangs: true })
    await room.page.goto(`/s/${id}/term`)
    const terminal = onTerminal(room.page)
    await terminal.shows("Here.")
    room.place.wire.cut()
    await room.page.getByText("You can't type").waitFor()
    await terminal.enter()
    await room.page.keyboard.type("lost words")
    room.place.wire.mend()
    await until(() => room.page.getByText("You can't type").count()).toBe(0)
    await room.page.keyboard.type("heard words")
    await terminal.shows("heard words")
    expect(await terminal.text()).not.toContain("lost words")
    await terminal.bar("Stop").click()
    await room.page.getByText("· ended").waitFor()
  })

  it("has nothing to show before an agent begins, and says what can't be read", async () => {
    const id = await room.place.session()
    // Sockets are turned off, because only a stream's answer can be replaced by a route.
    await room.page.route("**/config.json", async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), sockets: false } })
    })
    await room.page.goto(`/s/${id}/term`)
    await room.page.getByText("No terminal yet").waitFor()
    const withTerminal = /\/api\/v1\/stream\?.*pty_/
    await room.page.route(withTerminal, (route) => {
      const sources = new URL(route.request().url()).searchParams.get("sources")?.split(",") ?? []
      const refused = {
        source: sources.findIndex((one) => one.includes("pty_")),
        data: { error: { code: "not_found" } },
      }
      const body = `event: error\ndata: ${JSON.stringify(refused)}\n\n`
      return route.fulfill({ contentType: "text/event-stream", body })
    })
    await room.agents.begin({}, { sessionId: id, done: true })
    await room.page.getByText("Couldn't load this terminal.").waitFor()
    await room.page.unroute(withTerminal)
    await room.page.getByRole("button", { name: "Try again" }).click()
    await onTerminal(room.page).shows("turn completed")
  })
})
