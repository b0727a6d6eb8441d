import { expect, it } from "vitest"
import type { TestRepository } from "../functions/agents/repository.ts"
import { onTerminal } from "./harness/agents.ts"
import { inAgentsRoom } from "./harness/agents-room.ts"
import { chooseSegment } from "./harness/segments.ts"
import { until } from "./harness/until.ts"

const FILES = { "README.md": "# Shop\n", "a.txt": "one\ntwo\nthree\n" }

inAgentsRoom("a worktree that people work in, too", (room) => {
  const button = (name: string) => room.page.getByRole("button", { name, exact: true })
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sent
  const said = async (id: string): Promise<any[]> => {
    const { events } = await room.place.ask("GET", `/api/v1/sessions/${id}/events?event_types=user_message&limit=1000`)
    return events
  }

  async function worked(knobs: object, files = FILES): Promise<{ id: string; repository: TestRepository }> {
    const repository = room.agents.repository(files)
    const id = await room.agents.begin(knobs, { repository: repository.folder, done: true })
    return { id, repository }
  }

  it("sends comments on lines of the diff to the agent, as one message", async () => {
    const { id } = await worked({ files: { "a.txt": "one\n2\nthree\n" } })
    await room.page.goto(`/s/${id}/changes/a.txt`)
    await button("Comment on line 2").click()
    await room.page.getByRole("textbox", { name: "Comment on line 2" }).fill("Write it as a word.")
    await button("Add comment").click()
    await button("Comment on removed line 2").click()
    await room.page.getByRole("textbox", { name: "Comment on removed line 2" }).fill("This was right.")
    await room.page.keyboard.press("Control+Enter")
    await room.page.getByText("2 comments for the agent").waitFor()
    // Comments survive a reload of the page.
    await room.page.reload()
    await room.page.getByText("Write it as a word.").waitFor()
    await button("Send to agent").click()
    await room.page.getByText("Sent 2 comments to the agent.").waitFor()
    await until(async () => (await said(id)).map(({ content }) => content)).toContainEqual(
      expect.stringContaining("a.txt, line 2:\n> 2\nWrite it as a word."),
    )
    const [message] = (await said(id)).filter(({ content }) => content.includes("comments on your changes"))
    expect(message.content).toContain("a.txt, removed line 2:\n> two\nThis was right.")
    expect(await room.page.getByRole("region", { name: "Your review" }).count()).toBe(0)
    await room.place.over(id)
  })

  it("begins a comment by the keyboard, and goes to the next line by the same key", async () => {
    const { id } = await worked({ files: { "a.txt": "one\n2\nthree\n" } })
    await room.page.goto(`/s/${id}/changes/a.txt`)
    await button("Comment on line 2").waitFor()
    await room.page.keyboard.press("c")
    await room.page.getByRole("textbox", { name: "Comment on removed line 2" }).waitFor()
    await room.page.keyboard.press("Escape")
    expect(await room.page.getByRole("textbox", { name: /Comment on/ }).count()).toBe(0)
  })

  it("opens a shell in the worktree, which takes what is typed before it is connected", async () => {
    const { id } = await worked({ files: { "made.txt": "by the agent\n" } })
    await room.page.goto(`/s/${id}/changes`)
    await button("Shell").click()
    const terminal = onTerminal(room.page)
    await until(() => room.page.locator("[data-pty] textarea:focus").count()).toBe(1)
    // The file is printed three times: a shell whose size changes meanwhile redraws its prompt and may erase the line
    // above.
    await room.page.keyboard.type("cat made.txt made.txt made.txt\n")
    await terminal.shows(/by the agent/)
    // For an unknown terminal, no other one is shown. An address without a terminal shows the agent's own.
    await room.page.goto(`/s/${id}/term/pty_unknown`)
    await room.page.getByText("Terminal not open yet").waitFor()
    expect(await room.page.locator("[data-pty]").count()).toBe(0)
    await room.page.getByRole("link", { name: "Show the agent's terminal" }).click()
    await until(() => room.page.getByRole("combobox", { name: "Terminal" }).inputValue()).toMatch(/^pty_/)
    expect(await room.page.getByRole("combobox", { name: "Terminal" }).locator("option:checked").innerText()).toMatch(
      /^1\./,
    )
  })

  it("has the agent resolve a conflict", async () => {
    const resolves = "grep -q '^<<<<<<<' a.txt && printf 'both\\n' > a.txt || true"
    const { id, repository } = await worked({ files: { "a.txt": "agent\n" } })
    await room.agents.begin({ commands: [resolves] }, { sessionId: id, done: true })
    repository.write({ "a.txt": "main\n" })
    repository.git("commit", "-qam", "meanwhile")
    await room.page.goto(`/s/${id}/changes`)
    const merge = async () => {
      await button("Merge…").click()
      await room.page.getByRole("dialog").getByRole("textbox", { name: "Commit message" }).fill("Merged")
      await room.page.getByRole("dialog").getByRole("button", { name: "Merge into main" }).click()
    }
    await merge()
    await button("Resolve with agent").click()
    await room.page.getByText("The agent is resolving the conflicts.").waitFor()
    await room.place.over(id)
    await until(() => button("Merge…").isEnabled()).toBe(true)
    await merge()
    await until(() => repository.git("show", "main:a.txt")).toBe("both\n")
  })

  it("is one of a branch that is there already, if the task says so", async () => {
    const repository = room.agents.repository(FILES)
    repository.git("branch", "feature")
    await room.page.goto("/")
    await chooseSegment(room.page, "Agent")
    await room.page.getByRole("combobox", { name: "Agent", exact: true }).selectOption("mock")
    await room.page.getByRole("textbox", { name: "Task" }).fill('mock: {"files":{"b.txt":"b"}}')
    await room.page.getByRole("combobox", { name: "Repository", exact: true }).fill(repository.folder)
    await room.page.getByText("Continue existing work").click()
    await room.page.getByRole("textbox", { name: "Branch" }).fill("feature")
    await button("Start").click()
    await room.page.getByRole("heading", { name: "May I write b.txt?" }).waitFor()
    await room.page.locator("body").press("a")
    await until(() => repository.git("ls-tree", "--name-only", "feature")).toContain("b.txt")
  })

  it("is set up as its repository's settings say", async () => {
    await room.page.goto("/settings/repositories")
    await button("Add repository").click()
    const field = (name: string) => room.page.getByRole("textbox", { name, exact: true })
    await field("Repository").fill("/code/tool")
    await field("Setup command").fill("npm ci")
    await field("Files to copy").fill("../.env")
    await button("Save").click()
    await room.page.getByText("It must be a relative path inside the repository.").waitFor()
    await field("Files to copy").fill(".env\n.env.local")
    await room.page.getByRole("spinbutton", { name: "Ports" }).fill("2")
    await room.page.getByRole("spinbutton", { name: "Test time limit in seconds" }).fill("900")
    await button("Save").click()
    await room.page.getByText("setup: npm ci · copies .env, .env.local").waitFor()
    const { repositories } = await room.place.ask("GET", "/api/v1/config/repositories")
    const checks = { limits_seconds: { test: 900 } }
    expect(repositories).toMatchObject([{ repository: "/code/tool", copy: [".env", ".env.local"], ports: 2, checks }])
    await button("Remove /code/tool").click()
    await room.page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
    await room.page.getByText("No repository settings yet.").waitFor()
  })
})
