import type { Page } from "playwright-core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { FILES } from "./harness/director.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("the conversation of a session", ({ visit }) => {
  let place: Place
  beforeEach(async () => {
    place = await openPlace()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  it("has each request, its plan with the state of each file, and how it ended", async () => {
    const plan = place.director.hold("plan")
    const second = place.director.hold("src/main.ts")
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    const { conversation } = screen
    await conversation.getByText("What should we build?").waitFor()
    await screen.ask("A list that remembers.")
    await plan.reached
    await until(() => conversation.innerText()).toContain("A list that remembers.")
    await conversation.getByText("Planning…").waitFor()
    plan.release()

    await second.reached
    await until(() => chips(page)).toMatchObject({
      "index.html": "written",
      "src/main.ts": "writing",
      "README.md": "planned",
    })
    // A file that is being written or is already written opens from its chip; a planned file doesn't.
    await chip(page, "index.html").click()
    await until(() => page.locator("#agent-editor").innerText()).toContain("<title>List</title>")
    expect(await conversation.getByRole("button", { name: "README.md" }).count()).toBe(0)
    second.release()
    await screen.finished()
    await conversation.getByText("Done", { exact: true }).waitFor()
    await until(() => conversation.innerText()).toMatch(/No problems found in 7 files\. No code was run\./)
    expect(Object.values(await chips(page))).toEqual(Object.keys(FILES).map(() => "written"))
  })

  it("shows a request from right to left where it is written so, and each of its paragraphs by itself", async () => {
    const id = await place.session({
      built: true,
      prompt: "قائمة المهام، من فضلك\nA list of things to do, and each of them remembered.",
    })
    await using visitor = await visit(`${place.url}/s/${id}/run?show=conversation`, { width: 390 })
    const request = onRunScreen(visitor.page).conversation.locator("p", { hasText: "A list of things" }).first()
    await request.waitFor()
    const [arabic, english] = await request.evaluate((one) => {
      const text = one.firstChild as Text
      const frame = one.getBoundingClientRect()
      const edgesOf = (from: number, to: number) => {
        const range = document.createRange()
        range.setStart(text, from)
        range.setEnd(text, to)
        const { left, right } = range.getBoundingClientRect()
        return { left: Math.round(left - frame.left), right: Math.round(frame.right - right) }
      }
      const end = text.data.indexOf("\n")
      return [edgesOf(0, end), edgesOf(end + 1, text.data.length)]
    })
    expect(arabic?.right).toBe(0)
    expect(english?.left).toBe(0)
    await onRunScreen(visitor.page).prompt.fill("قائمة")
    const direction = await onRunScreen(visitor.page).prompt.evaluate((one) => getComputedStyle(one).unicodeBidi)
    expect(direction).toBe("plaintext")
  })

  it("is answered from its composer, which keeps what is being written during a run and over a reload", async () => {
    const id = await place.session({ built: true, prompt: "A list." })
    const hold = place.director.hold("src/main.ts")
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.finished()
    // The built files stay visible while the user asks for the next change.
    await screen.prompt.fill("Make it blue.")
    await screen.finished()
    await screen.prompt.press("Control+Enter")
    await hold.reached
    await until(() => requests(page)).toEqual(["A list.", "Make it blue."])
    expect(await screen.prompt.inputValue()).toBe("")
    await screen.prompt.fill("And then green.")
    await page.reload()
    await until(() => screen.prompt.inputValue()).toBe("And then green.")
    expect(await screen.runButton.innerText()).toBe("Stop")
    hold.release()
    await screen.finished()
    await until(() => screen.runButton.innerText()).toBe("Run")
    expect(await screen.prompt.inputValue()).toBe("And then green.")
  })

  it("shows a failure with its way on, and where the run went on from", async () => {
    place.director.fail("src/list.ts", new Error("The model broke."))
    const id = await place.session({ built: true, prompt: "A list." })
    place.director.mend()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const screen = onRunScreen(visitor.page)
    const { conversation } = screen
    await conversation.getByRole("alert").getByText("Failed", { exact: true }).waitFor()
    expect(await conversation.getByRole("button", { name: "Start over" }).count()).toBe(1)
    await conversation.getByRole("button", { name: "Resume" }).click()
    await screen.finished()
    await conversation.getByText("Resumed with the plan above").waitFor()
    await conversation.getByText("Done", { exact: true }).waitFor()
    // The earlier failure is still shown, without its buttons.
    expect(await conversation.getByRole("button", { name: "Resume" }).count()).toBe(0)
  })

  it("shows what was known at an earlier moment", async () => {
    const id = await place.session({ built: true, prompt: "A list." })
    const between = (await place.ask("GET", `/api/v1/sessions/${id}`)).latest_seq
    await place.ended((await place.run(id, "In blue.")).run_id)
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.finished()
    await until(() => requests(page)).toEqual(["A list.", "In blue."])
    await screen.moment.fill(String(between - 1))
    await until(() => requests(page)).toEqual(["A list."])
    expect(await screen.conversation.getByText("Done", { exact: true }).count()).toBe(0)
    await screen.moment.fill(String(between))
    await screen.conversation.getByText("Done", { exact: true }).waitFor()
  })

  it("is marked on the timeline, by request, and a mark leads to its moment", async () => {
    const id = await place.session({ built: true, prompt: "A list." })
    const second = (await place.ask("GET", `/api/v1/sessions/${id}`)).latest_seq + 1
    await place.ended((await place.run(id, "In blue.")).run_id)
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.finished()
    const marks = screen.line.getByRole("list", { name: "Requests" }).getByRole("button")
    const names = () => marks.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")))
    await until(names).toEqual(["Request 1: A list.", "Request 2: In blue."])
    const mark = screen.line.getByRole("button", { name: "Request 2: In blue." })
    await mark.focus()
    await page.keyboard.press("Enter")
    await until(screen.position).toMatch(new RegExp(`^${second}/`))
    await until(() => requests(page)).toEqual(["A list.", "In blue."])
    expect(await mark.getAttribute("aria-current")).toBe("step")
    await screen.line.getByRole("button", { name: "Request 1: A list." }).click()
    await until(() => requests(page)).toEqual(["A list."])
  })

  it("takes its title from the plan: in list, header, page and API alike", async () => {
    place.director.build(FILES, undefined, "Shopping list")
    const plan = place.director.hold("plan")
    const second = place.director.hold("src/main.ts")
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    const titles = async () => [
      await page
        .getByRole("navigation", { name: "Breadcrumb" })
        .innerText()
        .then((text) => text.split("\n").at(-1)),
      await page
        .getByRole("navigation", { name: "Sessions" })
        .locator(`a[href*="${id}"]`)
        .innerText()
        .then((text) => text.split("\n")[0]),
      (await page.title()).replace(/ · (Working|Done)/, ""),
      (await place.ask("GET", `/api/v1/sessions/${id}`)).name,
    ]
    const all = (name: string) => [name, name, `${name} · Switchyard`, name]
    await screen.show("Code")
    await screen.ask("A list of what I have to buy.")
    await plan.reached
    await until(titles).toEqual(all("A list of what I have to buy."))
    plan.release()
    await second.reached
    await until(titles).toEqual(all("Shopping list"))
    second.release()
    await screen.finished()
    place.director.build(FILES, undefined, "Blue list")
    await place.ended((await place.run(id, "In blue.")).run_id)
    await screen.conversation.getByText("Plan · Blue list").waitFor()
    await until(titles).toEqual(all("Shopping list"))
    await page.goto("/settings/appearance")
    await until(() => page.title()).toBe("Switchyard")
  })

  it("is in the log, too, and its planning where the first file will be", async () => {
    const plan = place.director.hold("plan")
    const steps = place.director.hold("task_plan")
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    const editor = page.getByRole("region", { name: "Editor" })
    await screen.ask("A list of what I have to buy.")
    await plan.reached
    await screen.show("Code")
    await editor.getByText("Choosing files…").waitFor()
    await screen.show("Log")
    await until(() => screen.log.innerText()).toContain("A list of what I have to buy.")
    plan.release()
    await steps.reached
    await screen.show("Code")
    await editor.getByText("Planning steps…").waitFor()
    steps.release()
    await screen.finished()
    expect(await editor.getByText("Planning steps").count()).toBe(0)
  })

  it("cuts a long request until all of it is asked for", async () => {
    const long = `Mend this:\n${"  at list.ts:12\n".repeat(400)}The end.`
    const id = await place.session({ built: true, prompt: long })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.finished()
    await screen.conversation.getByRole("log").hover()
    await page.mouse.wheel(0, -100_000)
    const request = screen.conversation.getByRole("article")
    const height = async () => (await request.boundingBox())?.height ?? 0
    const more = request.getByRole("button", { name: /^Show all/ })
    await more.waitFor()
    expect(await height()).toBeLessThan(300)
    await more.click()
    await until(height).toBeGreaterThan(3000)
    expect(await more.count()).toBe(0)
    await request.getByRole("button", { name: "Show less" }).waitFor()
  })
})

function chip(page: Page, path: string) {
  return page.getByRole("list", { name: "Planned files" }).last().getByRole("button", { name: path })
}

/** Returns the state of each file in the last visible plan. */
function chips(page: Page): Promise<Record<string, string>> {
  return page
    .getByRole("list", { name: "Planned files" })
    .last()
    .locator("[data-state]")
    .evaluateAll((all) =>
      Object.fromEntries(all.map((one) => [one.querySelector("span.truncate")?.textContent, one.dataset.state])),
    )
}

/** Returns the texts of the visible requests. */
function requests(page: Page): Promise<string[]> {
  return page
    .locator("#agent-conversation article p.whitespace-pre-wrap")
    .evaluateAll((all) => all.map((one) => one.textContent ?? ""))
}
