import { mkdirSync } from "node:fs"
import type { ModelProvider } from "@switchyard/core/models/provider"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { answerOf, isCoordinator, teamAnswer } from "../core/work/teams/team-model.ts"
import { createScriptedProvider, textAnswer } from "../fixtures/scripted-model.ts"
import { withAgents } from "./harness/agents.ts"
import { createDirector } from "./harness/director.ts"
import { layoutFaults } from "./harness/layout.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import type { Visit } from "./harness/visit.ts"

const WIDTHS = [1920, 1440, 1280, 1024, 768, 390, 320]
/** Folder for screenshots of everything. If it isn't set, none are taken. */
const PICTURES = process.env.LAYOUT_SCREENSHOTS

/** Returns a name of 60 characters that can't wrap. */
const long = (start: string) => start.padEnd(60, "_and_so_on")
const MODEL = long("anthropic/claude")
const AGENT = long("Ada")
const FILE = `${long("file")}.md`

/** Creates a model for builds, for a team that asks a question, and for a chat. */
function model(): ModelProvider {
  const director = createDirector()
  director.build(
    { "index.html": "<!doctype html>\n<title>List</title>\n", [FILE]: "# Long\n" },
    undefined,
    long("List"),
  )
  const others = createScriptedProvider((request) => {
    const { messages, tools = [] } = request
    if (isCoordinator(tools)) {
      if (messages.length === 1) return answerOf([["ask_human", { question: long("Which_language") }]], 1)
      return teamAnswer(["a", "b"], { ...request, messages: messages.toSpliced(1, 2) })
    }
    if (tools.some(({ name }) => name === "publish")) return teamAnswer(["a", "b"], request)
    return textAnswer(`See \`${FILE}\`.\n\n${FILE}\n<<<< EDIT\n==== REPLACE\n# ${long("Title")}\n>>>> EDIT END\n`)
  })
  const isOfBuild = ({ output, tools = [] }: Parameters<ModelProvider["stream"]>[0]) =>
    output !== undefined || tools.some(({ name }) => name === "edit_file")
  return {
    name: "scripted",
    stream: (request, options) => (isOfBuild(request) ? director.provider : others).stream(request, options),
  }
}

inChromium("no screen is cut off at any width", ({ visit }) => {
  const opened = new AsyncDisposableStack()
  let place: Place
  let visitor: Visit
  const ids = { built: "", agent: "", asking: "", team: "", chat: "" }
  beforeAll(async () => {
    place = opened.use(await openPlace({ model: model() }))
    visitor = opened.use(await visit(place.url, { touch: false }))
    await fill(place, ids)
    const chosen = JSON.stringify({ chosen: MODEL, recent: [MODEL] })
    await visitor.page.addInitScript((choice) => {
      // An iframe of a preview has no storage.
      if (window === window.top) localStorage.setItem("switchyard.model", choice)
    }, chosen)
  })
  afterAll(() => opened.disposeAsync())

  it.each(Object.keys(screens(ids)))("%s", async (name) => {
    const { page } = visitor
    await page.setViewportSize({ width: WIDTHS[0] ?? 1920, height: 900 })
    await screens(ids)[name]?.(page)
    const faults: string[] = []
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: width < 768 ? 844 : 900 })
      faults.push(...(await layoutFaults(page)).map((fault) => `${width}: ${fault}`))
      if (!PICTURES) continue
      mkdirSync(PICTURES, { recursive: true })
      await page.screenshot({ path: `${PICTURES}/${name.replaceAll(/\W+/g, "-")}-${width}.png` })
    }
    expect(faults).toEqual([])
  })
})

/** Creates sessions of each kind, with long names everywhere that a person or a model chooses one. */
async function fill(place: Place, ids: Record<"built" | "agent" | "asking" | "team" | "chat", string>): Promise<void> {
  const agents = withAgents(place)
  const session = (body: object = {}) => place.ask("POST", "/api/v1/sessions", body)
  const named = async (id: string, start: string) => {
    await place.ask("PATCH", `/api/v1/sessions/${id}`, { name: long(start) })
    return id
  }
  ids.built = await named(await place.session({ built: true, prompt: long("Build") }), "Build")

  const repository = agents.repository({ [FILE]: "one\n" })
  repository.git("checkout", "-q", "-b", long("branch"))
  ids.agent = await named((await session({ repository: repository.folder })).id, "Agent")
  const task = (knobs: object) => `Do it. mock: ${JSON.stringify(knobs)}`
  const add = (id: string, name: string, knobs: object, mode: string) =>
    place.ask("POST", `/api/v1/sessions/${id}/agents`, {
      ...{ name, coding_agent: "mock", coding_model: MODEL, mode, consent: true },
      prompt: task(knobs),
    })
  await add(ids.agent, AGENT, { files: { [FILE]: "two\n", [`folder/${FILE}`]: "new\n" } }, "bypass")
  await place.over(ids.agent)

  ids.asking = await named((await session()).id, "Asking")
  await add(ids.asking, AGENT, { commands: [`echo ${long("word")} | sort`], files: { [FILE]: "1\n" } }, "ask")
  await add(ids.asking, long("Bob"), { files: { [FILE]: "1\n" } }, "ask")

  const { id } = await place.ask("POST", "/api/v1/teams", { goal: long("Goal"), model: "scripted/test" })
  ids.team = await named(id, "Team")

  ids.chat = await named((await session()).id, "Chat")
  await place.ask("POST", `/api/v1/sessions/${ids.chat}/chat`, { message: long("What"), model: "scripted/test" })
  await place.over(ids.chat)

  await place.ask("POST", "/api/v1/accounts", { name: long("account"), provider: "mock" })
}

type Go = (page: Page) => Promise<unknown>

/** Returns the steps from any screen to each screen. */
function screens(ids: Record<"built" | "agent" | "asking" | "team" | "chat", string>): Record<string, Go> {
  const { built, agent, asking, team, chat } = ids
  const go = (path: string, sign: Go) => async (page: Page) => {
    await page.goto(path)
    await sign(page)
  }
  const heading = (page: Page) => page.getByRole("heading").first().waitFor()
  const dialog = (page: Page) => page.getByRole("dialog").waitFor()
  const click = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true }).first().click()
  const mode = (name: string) =>
    go("/", async (page) => {
      await page.getByText(name, { exact: true }).first().click()
      await page.locator("form button[type=submit]").waitFor()
    })
  const all: [string, Go][] = [
    ["home", go("/", heading)],
    ["home, agent", mode("Agent")],
    ["home, chat", mode("Chat")],
    ["home, team", mode("Team")],
    ["run", go(`/s/${built}/run`, (page) => page.locator("iframe[title=Preview][data-loaded=true]").waitFor())],
    ["conversation", go(`/s/${built}/run?show=conversation`, (page) => page.locator("[data-outcome]").waitFor())],
    ["log", go(`/s/${built}/run?show=log`, (page) => page.locator("#agent-logs [data-seq]").first().waitFor())],
    [
      "run, earlier",
      go(`/s/${built}/run?seq=20`, (page) => page.getByRole("button", { name: "Live", exact: true }).waitFor()),
    ],
    [
      "run, budget",
      go(`/s/${built}/run`, async (page) => {
        await page.getByRole("button", { name: "Run budget" }).click()
        await page.getByRole("textbox", { name: "Dollars" }).waitFor()
      }),
    ],
    ["files", go(`/s/${built}/files/`, (page) => page.locator("#agent-file-tree").waitFor())],
    ["a file", go(`/s/${built}/files/${FILE}`, (page) => page.locator(".cm-content").waitFor())],
    ["preview", go(`/s/${built}/preview`, (page) => page.locator("iframe[title=Preview][data-loaded=true]").waitFor())],
    ["prompts", go(`/s/${built}/prompts/coder`, (page) => page.getByRole("tab", { name: /Coder/ }).waitFor())],
    ["agents", go(`/s/${agent}/a/${AGENT}`, (page) => page.locator("[data-row]").first().waitFor())],
    ["questions of agents", go(`/s/${asking}/a/${AGENT}`, (page) => page.locator("[data-question]").first().waitFor())],
    [
      "another agent",
      go(`/s/${asking}/a/${AGENT}`, async (page) => {
        await click("Add agent")(page)
        await dialog(page)
      }),
    ],
    ["terminal", go(`/s/${asking}/term`, (page) => page.locator("[data-pty] .xterm-rows").waitFor())],
    ["changes", go(`/s/${agent}/changes?worktree=${AGENT}`, (page) => page.getByText("two").first().waitFor())],
    [
      "merge",
      go(`/s/${agent}/changes?worktree=${AGENT}`, async (page) => {
        await click("Merge…")(page)
        await dialog(page)
      }),
    ],
    ["merge queue", go(`/s/${agent}/merge`, heading)],
    [
      "compare agents",
      go(`/s/${agent}/bake-offs`, async (page) => {
        await click("Compare agents")(page)
        await dialog(page)
      }),
    ],
    ["team", go(`/s/${team}/team`, (page) => page.getByText(long("Which_language")).first().waitFor())],
    ["chat", go(`/s/${chat}/chat`, (page) => page.getByRole("article").nth(1).waitFor())],
    ["needs", go("/needs", (page) => page.locator("[data-question]").first().waitFor())],
    ["usage", go("/usage", heading)],
    ...["appearance", "model", "accounts", "limits", "permissions", "verification", "repositories"].map(
      (section): [string, Go] => [`settings, ${section}`, go(`/settings/${section}`, heading)],
    ),
    ...["git-hosts", "git-hooks", "tokens", "data"].map((section): [string, Go] => [
      `settings, ${section}`,
      go(`/settings/${section}`, heading),
    ]),
    ["about", go("/about", heading)],
    ["guide", go("/docs", heading)],
    ["connect", go("/connect", heading)],
    ["login", go("/login", heading)],
    ["no page", go("/nowhere", heading)],
    ["no session", go("/s/0123456789abcdef/run", (page) => page.getByText("Session not found").waitFor())],
    [
      "models",
      go("/", async (page) => {
        await page.getByText("Build", { exact: true }).first().click()
        await page.getByRole("button", { name: /^Model: / }).click()
        await page.getByRole("dialog", { name: "Choose a model" }).getByRole("option").first().waitFor()
      }),
    ],
    [
      "model key",
      go(`/s/${built}/run`, async (page) => {
        await page.getByRole("button", { name: "Session actions" }).click()
        await page.getByRole("menuitem", { name: "API key" }).click()
        await dialog(page)
      }),
    ],
    [
      "palette",
      go("/", async (page) => {
        await heading(page)
        await page.keyboard.press("Control+k")
        await dialog(page)
      }),
    ],
    [
      "shortcuts",
      go("/about", async (page) => {
        await heading(page)
        await page.keyboard.press("?")
        await dialog(page)
      }),
    ],
  ]
  return Object.fromEntries(all)
}
