import type { Locator } from "playwright-core"
import { expect, it } from "vitest"
import { inAgentsRoom } from "./harness/agents-room.ts"
import { chooseSegment } from "./harness/segments.ts"
import { until } from "./harness/until.ts"

const task = (knobs: object) => `Do it. mock: ${JSON.stringify(knobs)}`

inAgentsRoom("what an agent asks", (room) => {
  const question = () => room.page.getByRole("region", { name: /^May I/ })

  /** Starts a mock agent that asks before it writes. Resolves to its session's id. */
  async function asking(knobs: object): Promise<string> {
    const id = await room.place.session()
    const body = { coding_agent: "mock", task_description: task(knobs), mode: "ask" }
    await room.place.ask("POST", `/api/v1/sessions/${id}/tasks`, body)
    return id
  }

  it("is asked first where nothing else was chosen, with the change, and done once it is allowed", async () => {
    const { page } = room
    await page.goto("/")
    await chooseSegment(page, "Agent")
    await page.getByRole("combobox", { name: "Agent", exact: true }).selectOption("mock")
    expect(await page.getByRole("combobox", { name: "Permissions" }).inputValue()).toBe("ask")
    await page.getByText("Asks before each change and command.").waitFor()
    await page.getByRole("textbox", { name: "Task" }).fill(task({ files: { "notes/a.txt": "one\ntwo\n" } }))
    await page.getByText("Budget", { exact: true }).click()
    await page.getByRole("textbox", { name: "Dollars" }).fill("$5")
    await page.getByRole("button", { name: "Start" }).click()
    await question().waitFor()
    await page.getByRole("button", { name: "Budget: $0.00 of $5.00, $5.00 left" }).waitFor()
    expect(await question().getByRole("heading").innerText()).toBe("May I write notes/a.txt?")
    const change = await question().getByRole("region", { name: "Proposed change" }).innerText()
    expect(change).toMatch(/\+\s*(Added:\s*)?one\s*\+\s*(Added:\s*)?two/)
    await page.getByText("1 waiting").waitFor()
    // On a phone, the session's name shrinks to leave room for the count of waiting questions.
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.getByRole("link", { name: "1 waiting" }).evaluate(linesOf)).toBe(1)
    await page.setViewportSize({ width: 1440, height: 900 })
    await question().getByRole("button", { name: "Allow", exact: true }).click()
    await until(() => question().count()).toBe(0)
    const id = /\/s\/([^/]+)/.exec(page.url())?.[1] ?? ""
    await room.place.over(id)
    await until(() => page.getByRole("log").innerText()).toContain("Allowed")
  })

  it("is denied with what to do instead, by keyboard, and the agent hears that", async () => {
    const id = await asking({ files: { "a.txt": "1" }, commands: ["true"] })
    await room.page.goto(`/s/${id}/term`)
    await question().getByRole("heading", { name: "May I run true?" }).waitFor()
    await room.page.locator("body").press("a")
    await question().getByRole("heading", { name: "May I write a.txt?" }).waitFor()
    await question().getByRole("textbox", { name: "Deny with instructions" }).fill("Call it b.txt.")
    await room.page.keyboard.press("Enter")
    await until(() => question().count()).toBe(0)
    await room.place.over(id)
    await until(() => room.page.locator("#agent-logs").innerText()).toContain("I was told: Call it b.txt.")
  })

  it("shows what would have a command or a change read as another", async () => {
    const id = await asking({ files: { "a.txt": "\u202etxt.b\n" }, commands: ["echo \u202etxt.a"] })
    await room.page.goto(`/s/${id}/term`)
    await question().getByRole("heading", { name: "May I run echo [U+202E]txt.a?" }).waitFor()
    await room.page.locator("body").press("a")
    await question().getByRole("heading", { name: "May I write a.txt?" }).waitFor()
    const change = await question().getByRole("region", { name: "Proposed change" }).innerText()
    expect(change).toMatch(/\+\s*(Added:\s*)?\[U\+202E\]txt\.b/)
    await room.page.locator("body").press("a")
    await room.place.over(id)
  })

  it("shows exactly what would be allowed for the session", async () => {
    const commands = ["node --version", "git status"]
    const id = await asking({ files: { ".husky/pre-commit": "1", "a.txt": "1" }, commands })
    await room.page.goto(`/s/${id}/term`)
    const rules = {
      "May I run node --version?": "only this command: node --version",
      "May I run git status?": "commands that begin with: git status",
      "May I write .husky/pre-commit?": "write, only this file: .husky/pre-commit",
      "May I write a.txt?": "write, all files of the worktree, except protected ones",
    }
    for (const [asked, rule] of Object.entries(rules)) {
      await question().getByRole("heading", { name: asked, exact: true }).waitFor()
      const button = question().getByRole("button", { name: /^Allow for this session/ })
      await until(() => describedBy(button)).toBe(`Allow for this session: ${rule}`)
      await room.page.locator("body").press("a")
    }
    await room.place.over(id)
  })

  it("stands in one place for all sessions, and is gone everywhere once one place answers", async () => {
    const first = await asking({ files: { "a.txt": "1" } })
    const second = await asking({ files: { "b.txt": "1" } })
    await room.page.goto(`/s/${first}/term`)
    await question().waitFor()
    await using other = await room.visit(`${room.place.url}/needs`)
    const asked = other.page.getByRole("region", { name: /^May I/ })
    await until(() => asked.count()).toBe(2)
    const one = asked.filter({ hasText: "a.txt" })
    await one.getByRole("button", { name: "Deny" }).click()
    await until(() => question().count()).toBe(0)
    await until(() => asked.count()).toBe(1)
    await asked.getByRole("button", { name: "Allow", exact: true }).click()
    await other.page.getByText("Nothing needs you").waitFor()
    await room.place.over(first)
    await room.place.over(second)
  })

  it("has its agent's name, and counts as one where others of the session ask, too", async () => {
    const id = await room.place.session()
    for (const name of ["ada", "bob"]) {
      const body = { name, coding_agent: "mock", mode: "ask", prompt: task({ files: { [`${name}.txt`]: "1" } }) }
      await room.place.ask("POST", `/api/v1/sessions/${id}/agents`, body)
    }
    await room.page.goto("/needs")
    await until(() => question().allInnerTexts()).toHaveLength(2)
    const asked = (await question().allInnerTexts()).map((text) => text.split("\n")[0])
    expect(asked.sort()).toEqual([expect.stringMatching(/, agent ada$/), expect.stringMatching(/, agent bob$/)])
    await room.page.getByRole("link", { name: "2 waiting" }).waitFor()
    await question().first().getByRole("button", { name: "Deny" }).click()
    await room.page.getByRole("link", { name: "1 waiting" }).waitFor()
    // The header updates its count before the answered question disappears.
    await until(() => question().count()).toBe(1)
    await question().getByRole("button", { name: "Deny" }).click()
    await until(() => room.page.getByRole("link", { name: /waiting/ }).count()).toBe(0)
  })

  it("is answered once where two tabs answer at the same moment, and is gone from both", async () => {
    const id = await asking({ files: { "a.txt": "1" } })
    await room.page.goto(`/s/${id}/term`)
    await question().waitFor()
    await using other = await room.visit(`${room.place.url}/s/${id}/term`)
    const there = other.page.getByRole("region", { name: /^May I/ })
    await there.waitFor()
    // Both answers are sent before either page learns of the other's.
    const both = Promise.withResolvers<void>()
    let sent = 0
    for (const { page } of [room, other]) {
      await page.route("**/answer", async (route) => {
        if (++sent === 2) both.resolve()
        await both.promise
        await route.continue()
      })
    }
    await Promise.all([
      question().getByRole("button", { name: "Allow", exact: true }).click(),
      there.getByRole("button", { name: "Deny" }).click(),
    ])
    await until(() => question().count()).toBe(0)
    await until(() => there.count()).toBe(0)
    await room.place.over(id)
    const { events } = await room.place.ask("GET", `/api/v1/sessions/${id}/events?limit=1000`)
    const answered = events.filter(({ type }: { type: string }) => type === "question_answered")
    expect(answered).toHaveLength(1)
    for (const { page } of [room, other]) expect(await page.getByText("Something went wrong").count()).toBe(0)
    await room.page.unroute("**/answer")
  })
})

/** Returns the number of lines that an element's text occupies. */
function linesOf(element: Element): number {
  const tops = [...element.childNodes].flatMap((node) => {
    if (node.nodeType !== Node.TEXT_NODE || node.textContent?.trim() === "") return []
    const range = document.createRange()
    range.selectNodeContents(node)
    return Math.round(range.getBoundingClientRect().top)
  })
  return new Set(tops).size
}

/** Returns the text of the element that describes this one. */
function describedBy(one: Locator): Promise<string> {
  return one.evaluate(
    (element) => document.getElementById(element.getAttribute("aria-describedby") ?? "")?.innerText ?? "",
  )
}
