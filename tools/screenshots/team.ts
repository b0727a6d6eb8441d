import { writeFile } from "node:fs/promises"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { systemClock } from "@switchyard/core/time"
import { createDemoModel } from "@switchyard/functions/demo-model"
import type { Browser } from "playwright-core"
import { openPlace } from "../../tests/browser/harness/place.ts"

const GOAL = "A page that presents our tea shop to people from Kyoto"

/** Takes the screenshot of a demo team: two of its five nodes are completed, and the third is in progress. */
export async function takeTeam(browser: Browser, folder: string): Promise<void> {
  await using place = await openPlace({ model: untilThePage() })
  const { id } = await place.ask("POST", "/api/v1/teams", { goal: GOAL })
  const context = await browser.newContext({
    ...{ baseURL: place.url, viewport: { width: 1440, height: 900 }, colorScheme: "light", reducedMotion: "reduce" },
    ...{ locale: "en-GB", timezoneId: "UTC" },
  })
  const page = await context.newPage()
  await page.goto(`/s/${id}/team`)
  await page.getByText("Working · 2 of 5 nodes").waitFor()
  await page.locator("article[data-status=running]").waitFor()
  await page.evaluate(() => document.fonts.ready)
  await page.locator('[aria-busy="true"]').waitFor({ state: "detached" })
  await writeFile(`${folder}team-light-1440.png`, await page.screenshot())
  await context.close()
}

/** Creates a demo model whose worker never finishes the third node. */
function untilThePage(): ModelProvider {
  const demo = createDemoModel({ ...systemClock, sleep: async () => {} })
  return {
    ...demo,
    async *stream(request, options) {
      const isPage = String(request.messages[0]?.content).includes("Your node is page")
      if (isPage) await new Promise((_, reject) => options.signal.addEventListener("abort", reject, { once: true }))
      yield* demo.stream(request, options)
    },
  }
}
