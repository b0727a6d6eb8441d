import axe, { type Result, type RunOptions } from "axe-core"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { someOf } from "../settings.ts"
import { onTerminal, withAgents } from "./harness/agents.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"
import type { Visit } from "./harness/visit.ts"

const RULES: RunOptions["runOnly"] = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
}
const COLOURS: RunOptions["runOnly"] = { type: "rule", values: ["color-contrast", "link-in-text-block"] }

inChromium("every screen, by axe's rules for WCAG 2.2 AA, wide and narrow, by day and by night,", ({ visit }) => {
  let place: Place
  let visitor: Visit
  const sessions: Sessions = { built: "", empty: "", failed: "", agent: "", working: "" }
  beforeAll(async () => {
    place = await openPlace()
    visitor = await visit(place.url)
  })
  afterAll(async () => {
    await visitor?.[Symbol.asyncDispose]()
    await place?.[Symbol.asyncDispose]()
  })

  it("has no fault: landing", async () => {
    await visitor.page.getByRole("heading", { level: 1 }).waitFor()
    expect(await faultsOf(visitor.page)).toEqual([])
    sessions.built = await place.session({ built: true })
    sessions.empty = await place.session()
    sessions.failed = await failedSession(place)
    const agents = withAgents(place)
    const { folder } = agents.repository()
    sessions.agent = await agents.begin({ files: { "MOCK.md": "Mine.\n" } }, { repository: folder, done: true })
    sessions.working = await agents.begin({ hangs: true })
  })

  it.each(someOf(Object.keys(screens(sessions)), 12))("has no fault: %s", async (name) => {
    await screens(sessions)[name]?.(visitor.page)
    expect(await faultsOf(visitor.page)).toEqual([])
  })
})

type Sessions = Record<"built" | "empty" | "failed" | "agent" | "working", string>

/** The way to each screen, from any other. */
function screens({ built, empty, failed, agent, working }: Sessions): Record<string, (page: Page) => Promise<unknown>> {
  const go = (path: string, sign: (page: Page) => Promise<unknown>) => async (page: Page) => {
    await page.goto(path)
    await sign(page)
  }
  const heading = (page: Page) => page.getByRole("heading").first().waitFor()
  const dialog = (page: Page) => page.getByRole("dialog").waitFor()
  return {
    home: go("/", (page) => page.getByRole("heading", { name: "What should we build?" }).waitFor()),
    "home, for an agent": go("/", async (page) => {
      await page.getByText("Agent", { exact: true }).click()
      await until(() => page.getByRole("combobox", { name: "Agent" }).isEnabled()).toBe(true)
      await page.getByRole("combobox", { name: "Agent" }).selectOption("mock")
      await page.getByLabel("Task").fill("Say hello.")
      await page.getByLabel("Repository").fill("tool")
      await page.getByRole("button", { name: "Start" }).click()
      await page.getByText("neither a URL nor").waitFor()
    }),
    "empty run": go(`/s/${empty}/run`, (page) => page.locator("#agent-graph").waitFor()),
    "run that failed": go(`/s/${failed}/run`, (page) => onRunScreen(page).reach({ coder: "error" })),
    "run that is done": go(`/s/${built}/run`, (page) => onRunScreen(page).finished()),
    "earlier moment": go(`/s/${built}/run?seq=20`, async (page) => {
      await page.getByRole("button", { name: "Live", exact: true }).waitFor()
    }),
    reset: go(`/s/${built}/run`, async (page) => {
      await page.locator('[data-agent-action="reset"]').click()
      await dialog(page)
    }),
    "new bake-off": go(`/s/${agent}/bake-offs`, async (page) => {
      await page.getByRole("button", { name: "New bake-off" }).click()
      await page.getByRole("dialog").getByRole("group", { name: "Entrant 2" }).waitFor()
    }),
    budgets: go(`/s/${working}/a/main`, async (page) => {
      await page.getByRole("button", { name: "Session actions" }).click()
      await page.getByRole("menuitem", { name: "Budget" }).click()
      await page.getByRole("dialog").getByRole("group", { name: "This run" }).waitFor()
    }),
    files: go(`/s/${built}/files/`, (page) => page.locator("#agent-file-tree").waitFor()),
    "a file": go(`/s/${built}/files/src/main.ts`, (page) => page.locator(".cm-content").waitFor()),
    preview: go(`/s/${built}/preview`, async (page) => {
      await page.locator("iframe[title=Preview][data-loaded=true]").waitFor()
      await page.getByRole("button", { name: /^Console/ }).click()
    }),
    prompts: go(`/s/${built}/prompts/planner`, (page) => page.getByRole("tab", { name: /Planner/ }).waitFor()),
    agents: go(`/s/${working}/a/main`, (page) => page.locator("[data-row]").first().waitFor()),
    "another agent": go(`/s/${working}/a/main`, async (page) => {
      await page.getByRole("button", { name: "Agent", exact: true }).click()
      await dialog(page)
    }),
    "agent at work": go(`/s/${working}/term`, (page) => page.getByText("sized by you").waitFor()),
    "search in a terminal": go(`/s/${agent}/term`, async (page) => {
      await onTerminal(page).shows("turn completed")
      await page.getByRole("button", { name: "Find in the terminal" }).click()
      await page.getByRole("textbox", { name: "Find in the terminal" }).fill("turn")
    }),
    recording: go(`/s/${agent}/term`, async (page) => {
      await page.getByRole("button", { name: "Recording" }).click()
      await page.getByRole("button", { name: "Play the recording" }).waitFor()
    }),
    changes: go(`/s/${agent}/changes`, (page) => page.getByRole("region", { name: "Lines of MOCK.md" }).waitFor()),
    merge: go(`/s/${agent}/changes`, async (page) => {
      await page.getByRole("button", { name: "Merge…" }).click()
      await dialog(page)
    }),
    appearance: go("/settings/appearance", heading),
    "model key": go("/settings/model", heading),
    accounts: go("/settings/accounts", async (page) => {
      await page.getByRole("form", { name: "New account" }).waitFor()
    }),
    limits: go("/settings/limits", async (page) => {
      await page.getByRole("button", { name: "Add a rule" }).click()
      await page.getByLabel("Then").last().selectOption("Go on with another account")
      await page.getByLabel("Quiet hours").check()
      await page.getByLabel("Waits of a task").fill("many")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("A whole number from 0 to 100.").waitFor()
    }),
    permissions: go("/settings/permissions", async (page) => {
      await page.getByRole("button", { name: "Add a rule" }).click()
    }),
    repositories: go("/settings/repositories", async (page) => {
      await page.getByRole("button", { name: "Add a repository" }).click()
      await dialog(page)
    }),
    verification: go("/settings/verification", (page) => page.getByRole("switch").first().waitFor()),
    data: go("/settings/data", (page) => page.getByRole("switch").first().waitFor()),
    tokens: go("/settings/tokens", heading),
    connect: go("/connect", heading),
    login: go("/login", heading),
    about: go("/about", heading),
    guide: go("/docs", heading),
    nowhere: go("/s/0123456789abcdef0123456789abcdef/run", (page) => page.getByText("Session not found").waitFor()),
    models: go("/", async (page) => {
      // Home remembers that it was asked for an agent.
      await page.getByText("Build", { exact: true }).click()
      await page.getByRole("button", { name: /^Model: / }).click()
      await page.getByRole("dialog", { name: "Choose a model" }).getByRole("option").first().waitFor()
    }),
    "missing key": go(`/s/${empty}/run`, async (page) => {
      await page.getByRole("button", { name: "Model key: not set" }).click()
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

/** In both widths by every rule, and in the dark by that which colours decide: in both widths, too, where all is tried. */
const LOOKS = [
  { width: 1440, colorScheme: "light", rules: RULES },
  { width: 390, colorScheme: "light", rules: RULES },
  { width: 1440, colorScheme: "dark", rules: COLOURS },
  { width: 390, colorScheme: "dark", rules: COLOURS },
] as const

async function faultsOf(page: Page): Promise<string[]> {
  // A part that still loads would be looked at half drawn.
  await until(() => page.locator('[aria-busy="true"]').count()).toBe(0)
  const found: string[] = []
  for (const { width, colorScheme, rules } of someOf(LOOKS, 3)) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    for (const { id, nodes } of await look(page, rules)) {
      for (const { target, failureSummary } of nodes) {
        found.push(`${width} ${colorScheme} ${id}: ${target.join(" ")}: ${failureSummary?.split("\n")[1]?.trim()}`)
      }
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  return found
}

/** Looks again where colours may still be in transition: those have no fault a few frames later. */
async function look(page: Page, runOnly: RunOptions["runOnly"]): Promise<Result[]> {
  await drawn(page)
  const found = await run(page, runOnly)
  if (found.length === 0) return found
  await drawn(page)
  return run(page, runOnly)
}

/** Loads axe once into each page: to send and to parse it takes longer than a run does. */
async function run(page: Page, runOnly: RunOptions["runOnly"]): Promise<Result[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source)
  const options: RunOptions = { runOnly, resultTypes: ["violations"] }
  const asked = (given: RunOptions) => (window as unknown as { axe: typeof axe }).axe.run(document, given)
  return (await page.evaluate(asked, options)).violations
}

/** Resolves some frames later: a terminal draws its new colours in one that it asks for itself. */
function drawn(page: Page): Promise<void> {
  return page.evaluate(async () => {
    for (let frames = 0; frames < 4; frames++) await new Promise(requestAnimationFrame)
  })
}
