// Takes the screenshots in docs/images, using the current studio on a real server. The demo model stops at interesting
// moments.
import { mkdir, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { withAgents } from "../tests/browser/harness/agents.ts"
import { executablePath, launchChromium } from "../tests/browser/harness/chromium.ts"
import { openPlace } from "../tests/browser/harness/place.ts"
import { chooseSegment } from "../tests/browser/harness/segments.ts"
import { buildStudio } from "../tests/browser/harness/studio.ts"
import { makeRepository } from "../tests/functions/agents/repository.ts"
import { agentsAtWork } from "./screenshots/agents.ts"
import { createStoppableDemo, OTHER_PROMPTS, PROMPT } from "./screenshots/demo.ts"
import { after, before, TASK } from "./screenshots/repository.ts"
import { takeTeam } from "./screenshots/team.ts"

const FOLDER = fileURLToPath(new URL("../docs/images/", import.meta.url))

if (!executablePath) {
  console.error("Taking screenshots needs Chromium: apt-get install chromium-headless-shell")
  process.exit(1)
}
buildStudio()
const demo = createStoppableDemo()
await using place = await openPlace({ model: demo.provider })
for (const prompt of OTHER_PROMPTS) await place.session({ built: true, prompt })
const { folder } = makeRepository(`${place.server.folder}/tool`, before)
const { id: changed } = await place.ask("POST", "/api/v1/sessions", { name: TASK })
await withAgents(place).begin({ files: after }, { repository: folder, sessionId: changed, done: true })
const several = await agentsAtWork(place)
// This account only appears in the form and never gets a task.
await place.ask("POST", "/api/v1/accounts", { name: "work", provider: "claude", api_key: "sk-ant-of-nobody" })
const done = await place.session({ built: true, prompt: PROMPT })
const stopped = demo.stopAt("script.test.js")
const live = await place.session()
await place.run(live, PROMPT)
await stopped

/** Path of each screenshot, and when the page is ready for it. */
const pictures: Record<string, { path: string; ready(page: Page): Promise<unknown> }> = {
  // The board is loaded later than the rest of the page.
  home: { path: "/", ready: (page) => page.locator("[data-card]").first().waitFor() },
  run: {
    path: `/s/${live}/run`,
    ready: async (page) => {
      await page.locator('[data-node="coder"][data-state="active"]').waitFor()
      await appShown(page)
    },
  },
  replay: {
    path: `/s/${done}/run?seq=60`,
    ready: (page) => page.getByRole("button", { name: "Live", exact: true }).waitFor(),
  },
  files: {
    path: `/s/${done}/files/script.js`,
    ready: (page) => page.locator("#agent-editor .cm-content").waitFor(),
  },
  prompts: {
    path: `/s/${done}/prompts/coder`,
    ready: (page) => page.getByRole("textbox", { name: /^Editable section/ }).waitFor(),
  },
  agent: {
    path: "/",
    ready: async (page) => {
      await chooseSegment(page, "Agent")
      await page.getByRole("combobox", { name: "Agent", exact: true }).selectOption("work")
      await page.getByLabel("Task").fill(TASK)
      await page.getByLabel("Repository").fill("/home/ada/tool")
      await page.getByRole("button", { name: "Start", disabled: false }).waitFor()
    },
  },
  agents: {
    path: `/s/${several}/a/tests`,
    ready: async (page) => {
      await page.getByRole("region", { name: /^May I run/ }).waitFor()
      // Wait until each visible column shows its conversation.
      for (const column of await page.locator("[data-asker]").all())
        await column.locator("[data-row]").first().waitFor()
    },
  },
  changes: {
    path: `/s/${changed}/changes`,
    // Phones show the list of files first.
    ready: (page) => page.getByText("list.test.ts").first().waitFor(),
  },
  settings: { path: "/settings/appearance", ready: (page) => page.getByRole("heading", { level: 1 }).waitFor() },
}

await mkdir(FOLDER, { recursive: true })
const browser = await launchChromium()
await takeTeam(browser, FOLDER)
for (const theme of ["light", "dark"] as const) {
  for (const { width, height, touch } of [
    { width: 1440, height: 900, touch: false },
    { width: 390, height: 844, touch: true },
  ]) {
    const context = await browser.newContext({
      baseURL: place.url,
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: "reduce",
      hasTouch: touch,
      locale: "en-GB",
      timezoneId: "UTC",
    })
    const page = await context.newPage()
    for (const [name, { path, ready }] of Object.entries(pictures)) {
      await page.goto(path)
      await ready(page)
      await page.evaluate(() => document.fonts.ready)
      await page.locator('[aria-busy="true"]').waitFor({ state: "detached" })
      await painted(page)
      await writeFile(`${FOLDER}${name}-${theme}-${width}.png`, await page.screenshot())
    }
    await context.close()
  }
}
demo.goOn()
await browser.close()

/** Waits for the app and, if there is room for it, the conversation. */
async function appShown(page: Page): Promise<void> {
  await page.locator("iframe[title=Preview][data-loaded=true]").waitFor()
  await page.locator("#agent-conversation [data-run]").first().waitFor({ state: "attached" })
}

/** Waits for two frames, because the board draws its cards in one of its own. */
async function painted(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}
