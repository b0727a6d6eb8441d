import axe, { type Result, type RunOptions } from "axe-core"
import type { Page, Request } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { paths, runPanes, settingsSections } from "../../packages/web/src/session/context/routes.ts"
import { teamAnswer } from "../core/work/teams/team-model.ts"
import { createScriptedProvider } from "../fixtures/scripted-model.ts"
import { someOf } from "../settings.ts"
import { onTerminal, withAgents } from "./harness/agents.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"
import type { Visit } from "./harness/visit.ts"

/** All axe rules for WCAG 2.2 AA, and two of axe's own best-practice rules. */
const RULES: RunOptions = {
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
  rules: { "heading-order": { enabled: true }, "aria-allowed-role": { enabled: true } },
}
const COLOURS: RunOptions = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } }

/** Both widths in light colors are checked by every rule, dark and forced colors only by the rules about color. */
const LOOKS = {
  light: { width: 1440, colorScheme: "light", forcedColors: "none", rules: RULES },
  phone: { width: 390, colorScheme: "light", forcedColors: "none", rules: RULES },
  dark: { width: 1440, colorScheme: "dark", forcedColors: "none", rules: COLOURS },
  forced: { width: 1440, colorScheme: "light", forcedColors: "active", rules: COLOURS },
} as const

inChromium(
  "every screen, by axe's rules, wide and on a phone, by day, by night and in forced colours,",
  ({ visit }) => {
    let place: Place
    let visitor: Visit
    const sessions: Sessions = { built: "", empty: "", failed: "", agent: "", working: "", team: "" }
    let isTeam = false
    const team = createScriptedProvider((request) => teamAnswer(["a", "b"], request))
    beforeAll(async () => {
      place = await openPlace({
        model: { name: "scripted", stream: (...call) => (isTeam ? team : place.director.provider).stream(...call) },
      })
      visitor = await visit(place.url)
      followRequests(visitor.page)
    })
    afterAll(async () => {
      await visitor?.[Symbol.asyncDispose]()
      await place?.[Symbol.asyncDispose]()
    })

    it("has no fault at the first visit", async () => {
      await visitor.page.getByRole("heading", { level: 1 }).waitFor()
      expect(await faultsOf(visitor.page)).toEqual([])
      sessions.built = await place.session({ built: true })
      sessions.empty = await place.session()
      sessions.failed = await failedSession(place)
      const agents = withAgents(place)
      const { folder } = agents.repository()
      sessions.agent = await agents.begin({ files: { "MOCK.md": "Mine.\n" } }, { repository: folder, done: true })
      sessions.working = await agents.begin({ hangs: true })
      isTeam = true
      sessions.team = await finishedTeam(place)
      isTeam = false
      await fillSettings(place)
      await askQuestion(place)
      await visitor.page.goto("/")
    })

    it.each(Object.keys(routes(sessions)))("has no fault at its address: %s", async (name) => {
      const { page } = visitor
      const { path, ready } = routes(sessions)[name] ?? {}
      if (path === undefined) throw new Error(`There is no route ${name}.`)
      // A heading of the previous screen must not count as a sign that this screen is ready.
      const [between, title] =
        path === paths.about() ? ["/nowhere", "Page not found"] : [paths.about(), "About Switchyard"]
      const heading = page.getByRole("heading", { level: 1, name: title })
      await go(page, between)
      await heading.waitFor()
      await go(page, path)
      await heading.waitFor({ state: "detached" })
      await ready?.(page)
      expect(await faultsOf(page)).toEqual([])
    })

    it.each(someOf(Object.keys(states(sessions)), 8))("has no fault in a state: %s", async (name) => {
      await states(sessions)[name]?.(visitor.page)
      expect(await faultsOf(visitor.page)).toEqual([])
    })
  },
)

function go(page: Page, path: string): Promise<void> {
  return page.evaluate((to) => history.pushState(null, "", to), path)
}

type Sessions = Record<"built" | "empty" | "failed" | "agent" | "working" | "team", string>

interface Route {
  path: string
  /** Resolves when the screen shows its content. */
  ready(page: Page): Promise<unknown>
}

/** Returns every address of the studio. A path added to the studio's `paths` doesn't compile without an entry here. */
function routes({ built, agent, team }: Sessions): Record<string, Route> {
  const shows = (selector: string) => (page: Page) => page.locator(selector).first().waitFor()
  const heading = (name: string) => (page: Page) => page.getByRole("heading", { level: 1, name }).waitFor()
  const {
    settings: _,
    pane: __,
    ...others
  } = {
    home: { path: paths.home(), ready: shows("[data-card]") },
    studio: { path: paths.studio(), ready: shows("#main [data-region]") },
    session: { path: paths.session(built), ready: shows("#agent-conversation") },
    run: { path: paths.run(built), ready: shows("#agent-conversation") },
    pane: null,
    agent: { path: paths.agent(agent), ready: shows("[data-row]") },
    term: { path: paths.term(agent), ready: shows("[data-pty]") },
    changes: { path: paths.changes(agent), ready: shows("[aria-label='Diff of MOCK.md']") },
    changesOf: { path: paths.changesOf(agent, "main"), ready: shows("[aria-label='Diff of MOCK.md']") },
    merge: { path: paths.merge(agent), ready: shows("#main :is(h2, h3, p)") },
    bakeOffs: { path: paths.bakeOffs(agent), ready: shows("#main :is(h2, h3, p)") },
    files: { path: paths.files(built, "src/main.ts"), ready: shows(".cm-content") },
    team: { path: paths.team(team), ready: shows("#main article") },
    chat: { path: paths.chat(built), ready: shows("#main textarea") },
    preview: { path: paths.preview(built), ready: shows("iframe[title=Preview][data-loaded=true]") },
    prompts: { path: paths.prompts(built), ready: shows("[role=tab]") },
    needs: { path: paths.needs(), ready: shows("#main h2") },
    usage: { path: paths.usage(), ready: shows("#main table") },
    settings: null,
    connect: { path: paths.connect(), ready: heading("Server") },
    login: { path: paths.login(), ready: heading("You're signed in") },
    about: { path: paths.about(), ready: shows("h1") },
    guide: { path: paths.guide(), ready: shows("h1") },
  } satisfies Record<keyof typeof paths, Route | null>
  const panes = runPanes.map((pane) => [
    `run: ${pane}`,
    { path: paths.pane(built, pane), ready: shows("#agent-conversation") },
  ])
  const settings = settingsSections.map((section) => [
    `settings: ${section}`,
    { path: paths.settings(section), ready: shows("[data-region=settings] h1") },
  ])
  return {
    ...others,
    ...Object.fromEntries([...panes, ...settings]),
    nowhere: { path: "/nowhere", ready: heading("Page not found") },
    "no such settings": { path: "/settings/nothing", ready: heading("Page not found") },
  }
}

/** Returns the steps from any screen to each state that has no address. */
function states({ built, empty, failed, agent, working }: Sessions): Record<string, (page: Page) => Promise<unknown>> {
  const go = (path: string, sign: (page: Page) => Promise<unknown>) => async (page: Page) => {
    await page.goto(path)
    await sign(page)
  }
  const heading = (page: Page) => page.getByRole("heading").first().waitFor()
  const dialog = (page: Page) => page.getByRole("dialog").waitFor()
  return {
    "board, with selected sessions": go("/", async (page) => {
      await page.locator("[data-card] input").first().check()
      await page.getByRole("toolbar", { name: "Selected sessions" }).waitFor()
    }),
    "home, for an agent": go("/", async (page) => {
      await page.getByText("Agent", { exact: true }).click()
      await until(() => page.getByRole("combobox", { name: "Agent", exact: true }).isEnabled()).toBe(true)
      await page.getByRole("combobox", { name: "Agent", exact: true }).selectOption("mock")
      await page.getByLabel("Task").fill("Say hello.")
      await page.getByLabel("Repository").fill("tool")
      await page.getByRole("button", { name: "Start" }).click()
      await page.getByText("neither a URL nor").waitFor()
    }),
    "empty run": go(`/s/${empty}/run`, (page) => page.getByText("Your app will appear here").waitFor()),
    "run that failed": go(`/s/${failed}/run`, (page) => onRunScreen(page).reach({ coder: "error" })),
    "run that is done": go(`/s/${built}/run`, (page) => onRunScreen(page).finished()),
    "earlier moment": go(`/s/${built}/run?seq=20`, async (page) => {
      await page.getByRole("button", { name: "Live", exact: true }).waitFor()
    }),
    reset: go(`/s/${built}/run`, async (page) => {
      await page.getByRole("button", { name: "Session actions" }).click()
      await page.locator('[data-agent-action="reset"]').click()
      await dialog(page)
    }),
    "new bake-off": go(`/s/${agent}/bake-offs`, async (page) => {
      await page.getByRole("button", { name: "Compare agents" }).click()
      await page.getByRole("dialog").getByRole("group", { name: "Agent 2" }).waitFor()
    }),
    budgets: go(`/s/${working}/a/main`, async (page) => {
      await page.getByRole("button", { name: "Session actions" }).click()
      await page.getByRole("menuitem", { name: "Budget" }).click()
      await page.getByRole("dialog").getByRole("group", { name: "This run" }).waitFor()
    }),
    preview: go(`/s/${built}/preview`, async (page) => {
      await page.locator("iframe[title=Preview][data-loaded=true]").waitFor()
      await page.getByRole("button", { name: /^Console/ }).click()
    }),
    "another agent": go(`/s/${working}/a/main`, async (page) => {
      await page.getByRole("button", { name: "Add agent", exact: true }).click()
      await dialog(page)
    }),
    "agent at work": go(`/s/${working}/term`, (page) => page.getByText("sized by you").waitFor()),
    "search in a terminal": go(`/s/${agent}/term`, async (page) => {
      await onTerminal(page).shows("turn completed")
      await page.getByRole("button", { name: "Find in terminal" }).click()
      await page.getByRole("textbox", { name: "Find in terminal" }).fill("turn")
    }),
    recording: go(`/s/${agent}/term`, async (page) => {
      await page.getByRole("button", { name: "Recording" }).click()
      await page.getByRole("button", { name: "Play recording" }).waitFor()
    }),
    merge: go(`/s/${agent}/changes`, async (page) => {
      await page.getByRole("button", { name: "Merge…" }).click()
      await dialog(page)
    }),
    "a rule about limits": go("/settings/limits", async (page) => {
      await page.getByLabel("Quiet hours").check()
      await page.getByRole("button", { name: "Add rule" }).click()
      await page.getByLabel("Then").selectOption("Switch to another account")
      await page.getByRole("dialog").getByLabel("Threshold").fill("many")
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
      await page.getByText("Enter a whole number from 0 to 100.").waitFor()
    }),
    "a rule about permissions": go("/settings/permissions", async (page) => {
      await page.getByRole("button", { name: "Add rule" }).click()
      await page.getByLabel("When").selectOption("For specific files")
    }),
    "a repository": go("/settings/repositories", async (page) => {
      await page.getByRole("button", { name: "Add repository" }).click()
      await dialog(page)
    }),
    "a git hook": go("/settings/git-hooks", async (page) => {
      await page.getByRole("button", { name: "Add git hook" }).click()
      await dialog(page)
    }),
    "a deletion": go("/settings/git-hosts", async (page) => {
      await page.getByRole("button", { name: "Delete the token for github.com" }).click()
      await dialog(page)
    }),
    "no such session": go("/s/0123456789abcdef0123456789abcdef/run", (page) =>
      page.getByText("Session not found").waitFor(),
    ),
    models: go("/", async (page) => {
      // Home remembers that the user chose an agent last time.
      await page.getByText("Build", { exact: true }).click()
      await page.getByRole("button", { name: /^Model: / }).click()
      await page.getByRole("dialog", { name: "Choose a model" }).getByRole("option").first().waitFor()
    }),
    "missing key": go(`/s/${empty}/run`, async (page) => {
      await page.getByRole("button", { name: "Session actions" }).click()
      await page.getByRole("menuitem", { name: "API key" }).click()
      await dialog(page)
    }),
    palette: go("/", async (page) => {
      await heading(page)
      await page.keyboard.press("Control+k")
      await dialog(page)
    }),
    keyboard: go("/about", async (page) => {
      await heading(page)
      await page.keyboard.press("?")
      await dialog(page)
    }),
  }
}

async function failedSession(place: Place): Promise<string> {
  place.director.fail("style.css", new Error("The model broke."))
  const id = await place.session({ built: true })
  place.director.mend()
  return id
}

async function finishedTeam(place: Place): Promise<string> {
  const { id } = await place.ask("POST", "/api/v1/teams", { goal: "Two files", model: "scripted/test" })
  await place.over(id)
  return id
}

async function fillSettings({ ask }: Place): Promise<void> {
  await ask("POST", "/api/v1/accounts", { name: "work", provider: "mock" })
  await ask("PUT", "/api/v1/config/provider-fallback-order", { order: ["work"] })
  await ask("PUT", "/api/v1/git-hosts/github.com", { kind: "github", token: "ghp_9fJmZ0p9QdXwT4yKcR7u" })
  const repository = "https://github.com/ada/x.git"
  const hook = { kind: "github", coding_agent: "mock", rules: [{ on: "comment" }] }
  await ask("POST", "/api/v1/git-hooks", { repository, ...hook })
  const rules = [{ tool: "bash", command: "npm test", effect: "allow" }]
  await ask("PUT", "/api/v1/config/permissions", { rules, repositories: [{ repository, rules }] })
  const worktree = { setup: "npm ci", cleanup: "", copy: [".env"], link: [], cache: [], ports: 1, checks: {} }
  await ask("PUT", "/api/v1/config/repositories", { repositories: [{ repository, ...worktree }] })
  await ask("PUT", "/api/v1/config/budget", { day_usd: 5, month_usd: null, day_tokens: null, month_tokens: 2_000_000 })
}

/** Starts an agent that waits for the answer to a question. */
async function askQuestion(place: Place): Promise<void> {
  const id = await place.session()
  const task_description = `mock: ${JSON.stringify({ files: { "a.txt": "one\n" } })}`
  await place.ask("POST", `/api/v1/sessions/${id}/tasks`, { coding_agent: "mock", task_description, mode: "ask" })
  await withAgents(place).heard(id, "question_asked")
}

async function faultsOf(page: Page): Promise<string[]> {
  await settled(page)
  const found: string[] = []
  for (const [name, { width, rules, ...media }] of Object.entries(LOOKS)) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia(media)
    for (const { id, nodes } of await look(page, rules)) {
      for (const { target, failureSummary } of nodes) {
        found.push(`${name} ${id}: ${target.join(" ")}: ${failureSummary?.split("\n")[1]?.trim()}`)
      }
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  return found
}

/** Runs axe, and runs it again a few frames later if it found faults: colors in transition may fail at first. */
async function look(page: Page, options: RunOptions): Promise<Result[]> {
  await drawn(page)
  const found = await run(page, options)
  if (found.length === 0) return found
  await settled(page)
  await drawn(page)
  return run(page, options)
}

/** Loads axe only once per page, because sending and parsing it takes longer than a run. */
async function run(page: Page, rules: RunOptions): Promise<Result[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source)
  const options: RunOptions = { ...rules, resultTypes: ["violations"] }
  const asked = (given: RunOptions) => (window as unknown as { axe: typeof axe }).axe.run(document, given)
  return (await page.evaluate(asked, options)).violations
}

const underWay = new WeakMap<Page, Set<Request>>()

/** Counts the page's open requests, except streams, which don't end. */
function followRequests(page: Page): void {
  const open = new Set<Request>()
  underWay.set(page, open)
  page.on("request", (request) => {
    if (!request.url().includes("/stream")) open.add(request)
  })
  page.on("requestfinished", (request) => open.delete(request))
  page.on("requestfailed", (request) => open.delete(request))
}

/** Resolves when nothing is loading anymore, so that axe doesn't check a screen that is half drawn. */
async function settled(page: Page): Promise<void> {
  await drawn(page)
  await until(async () => (await page.locator('[aria-busy="true"]').count()) + (underWay.get(page)?.size ?? 0)).toBe(0)
  await drawn(page)
}

/** Resolves four frames later: a terminal draws its new colors in a frame that it requests itself. */
function drawn(page: Page): Promise<void> {
  return page.evaluate(async () => {
    for (let frames = 0; frames < 4; frames++) await new Promise(requestAnimationFrame)
  })
}
