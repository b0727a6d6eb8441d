import { expect, it } from "vitest"
import { inAgentsRoom } from "./harness/agents-room.ts"
import { until } from "./harness/until.ts"

const told = (knobs: object) => `Do it. mock: ${JSON.stringify(knobs)}`

inAgentsRoom("several agents of a session", (room) => {
  const column = (name: string) => room.page.getByRole("region", { name, exact: true })
  const conversation = (name: string) => room.page.getByRole("log", { name: `Conversation with ${name}` })
  const add = (id: string, agent: object) => room.place.ask("POST", `/api/v1/sessions/${id}/agents`, agent)

  it("stand side by side, each with its conversation, and are gone through and answered by keyboard", async () => {
    const { page } = room
    const id = await room.agents.begin(
      {
        thinks: "Let me see.",
        todos: ["Write it", "Try it"],
        todos_done: 1,
        say: "I **do** it.",
        helper: { task: "Look around", commands: ["echo found"], says: "There is one." },
        files: { "a.txt": "one\n" },
      },
      { done: true },
    )
    await add(id, { name: "tests", coding_agent: "mock", prompt: told({ commands: ["true"] }) })
    await page.goto(`/s/${id}`)
    await page.waitForURL(/\/a\/main$/)
    await conversation("main").locator("strong", { hasText: "do" }).waitFor()
    await conversation("main").getByRole("region", { name: "Helper Look around" }).getByText("There is one.").waitFor()
    expect(await conversation("main").getByRole("region", { name: "Change of a.txt" }).innerText()).toContain("one")
    await column("main").getByText("1 of 2 done").waitFor()

    const question = column("tests").getByRole("region", { name: "May I run true?" })
    await question.waitFor()

    await page.locator("body").press("j")
    await page.waitForURL(/\/a\/tests$/)
    await page.locator("body").press("F8")
    await until(() => question.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press("a")
    await until(() => question.count()).toBe(0)
    await conversation("tests").locator('[data-ended="completed"]').waitFor()
    expect(await conversation("tests").innerText()).toContain("Allowed")

    // The log names them, also in the narrow column beside the terminal.
    await page.goto(`/s/${id}/term`)
    const logged = page.getByRole("log", { name: "Events" }).locator("[data-seq]")
    for (const name of ["main", "tests"]) {
      await logged
        .filter({ hasText: "Agent finished" })
        .getByText(name, { exact: true })
        .filter({ visible: true })
        .waitFor()
    }
  })

  it("are written to, each with a draft of its own, and changed in their mode by a key", async () => {
    const { page } = room
    const id = await room.agents.begin({ say: "First.", files: {} }, { done: true })
    await add(id, { name: "docs", coding_agent: "mock" })
    await page.goto(`/s/${id}/a/docs`)
    const field = (name: string) => page.getByRole("combobox", { name: `Message to ${name}` })
    await field("main").fill("For later.")
    await field("docs").fill(told({ say: "Hello from docs." }))
    await field("docs").press("Shift+Tab")
    const mode = page.getByRole("combobox", { name: "Permissions of docs" })
    await until(() => mode.inputValue()).toBe("accept_edits")
    await page.getByRole("button", { name: "Send to docs" }).click()
    await conversation("docs").getByText("Hello from docs.", { exact: true }).waitFor()
    await until(() => field("docs").inputValue()).toBe("")
    await page.reload()
    await until(() => field("main").inputValue()).toBe("For later.")
  })

  it("fit a narrow screen one at a time, without a page that scrolls sideways", async () => {
    const id = await room.agents.begin({ say: "Narrow.", files: { "a.txt": "x".repeat(400) } }, { done: true })
    await add(id, { name: "other", coding_agent: "mock" })
    await using phone = await room.visit(`${room.place.url}/s/${id}/a/main`, { width: 320 })
    await phone.page.getByText("Narrow.", { exact: true }).waitFor()
    const overflow = () =>
      phone.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(await overflow()).toBe(0)
    await phone.page.getByRole("navigation", { name: "Agents" }).getByRole("link", { name: /other/ }).click()
    await phone.page.getByText("other has nothing to do yet").waitFor()
    expect(await overflow()).toBe(0)
  })
})
