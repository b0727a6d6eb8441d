import { expect, it } from "vitest"
import { inAgentsRoom } from "./harness/agents-room.ts"
import { dropImages } from "./harness/drop-images.ts"
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
    await conversation("Mock").locator("strong", { hasText: "do" }).waitFor()
    await conversation("Mock")
      .getByRole("region", { name: "Subagent Look around" })
      .getByText("There is one.")
      .waitFor()
    expect(await conversation("Mock").getByRole("region", { name: "Changes to a.txt" }).innerText()).toContain("one")
    await column("Mock").getByText("1 of 2 done").waitFor()

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

    // The log names both agents, even in the narrow column beside the terminal.
    await page.goto(`/s/${id}/term`)
    const logged = page.getByRole("log", { name: "Events" }).locator("[data-seq]")
    for (const name of ["Mock", "tests"]) {
      await logged
        .filter({ hasText: "Agent finished" })
        .getByText(name, { exact: true })
        .filter({ visible: true })
        .waitFor()
    }
  })

  it("show their task, their mode and that they start, before the agent has done anything", async () => {
    const { page } = room
    const id = await room.place.session()
    // `seq` shows the log up to `run_created`: a page shows the same while the agent's program is being installed.
    await room.place.ask("POST", `/api/v1/sessions/${id}/tasks`, {
      ...{ coding_agent: "mock", mode: "ask", task_description: told({ say: "Hello.", commands: ["true"] }) },
    })
    const created = await room.agents.heard(id, "run_created")
    await room.agents.heard(id, "agent_turn_started")
    await page.goto(`/s/${id}/a/main?seq=${created.seq}`)
    await conversation("Mock").getByText("Do it.").waitFor()
    await conversation("Mock").getByText("Starting Mock…").waitFor()
    await until(() => page.getByRole("combobox", { name: "Mock's permissions" }).inputValue()).toBe("ask")
    await page.goto(`/s/${id}/a/main`)
    await conversation("Mock").getByText("Hello.", { exact: true }).first().waitFor()
    await until(() => conversation("Mock").getByText("Do it.").count()).toBe(1)
    await until(() => conversation("Mock").getByText("Starting Mock…").count()).toBe(0)
    await room.place.ask("POST", `/api/v1/sessions/${id}/cancel`)
  })

  it("are written to, each with a draft of its own, and changed in their mode by a key", async () => {
    const { page } = room
    const id = await room.agents.begin({ say: "First.", files: {} }, { done: true })
    await add(id, { name: "docs", coding_agent: "mock" })
    await page.goto(`/s/${id}/a/docs`)
    const field = (name: string) => page.getByRole("textbox", { name: `Message to ${name}` })
    await field("Mock").fill("For later.")
    await field("docs").fill(told({ say: "Hello from docs." }))
    await field("docs").press("Shift+Tab")
    const mode = page.getByRole("combobox", { name: "docs's permissions" })
    await until(() => mode.inputValue()).toBe("accept_edits")
    await field("docs").evaluate(dropImages, ["sketch.png"])
    const attached = column("docs").getByRole("list", { name: "Attached images" })
    await attached.getByRole("img", { name: "sketch.png" }).waitFor()
    await page.getByRole("button", { name: "Send to docs" }).click()
    await conversation("docs").getByText("Hello from docs.", { exact: true }).waitFor()
    const sent = conversation("docs").getByRole("article", { name: "You" }).getByRole("img")
    await until(() => sent.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1200)
    expect(await attached.count()).toBe(0)
    await until(() => field("docs").inputValue()).toBe("")
    await page.reload()
    await until(() => field("Mock").inputValue()).toBe("For later.")
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
    await phone.page.getByText("other is ready").waitFor()
    expect(await overflow()).toBe(0)
  })
})
