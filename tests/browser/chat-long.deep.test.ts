import type { Locator, Page } from "playwright-core"
import { expect, it } from "vitest"
import { fillChat, lastWordOf, wholeTurn } from "../../bench/long-chat.ts"
import { signal } from "../../bench/stage.ts"
import { logOf } from "./harness/long.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const TURNS = 120

/** Creates a session with a long chat. */
async function filled(place: Place) {
  const id = await place.session()
  const session = await logOf(place, id)
  await fillChat(session, TURNS)
  return { id, session }
}

function partsOf(page: Page) {
  const log = page.getByRole("log", { name: "Conversation" })
  return {
    log,
    answer: (turn: number) => log.getByText(lastWordOf(turn)),
    earlier: log.getByRole("button", { name: "Show earlier messages" }),
    /** Scrolls up until the element is visible. */
    async scrollUp(to: Locator) {
      await log.hover()
      await until(async () => {
        await page.mouse.wheel(0, -5000)
        return to.isVisible()
      }).toBe(true)
    },
  }
}

inChromium("a chat of 240 messages", ({ visit }) => {
  it("shows earlier ones above those that its reader sees, who stays there and is told of none as new", async () => {
    await using place = await openPlace()
    const { id } = await filled(place)
    await using visitor = await visit(`${place.url}/s/${id}/chat`)
    const { page } = visitor
    const { log, answer, earlier, scrollUp } = partsOf(page)
    await answer(TURNS - 1).waitFor()
    for (const first of [TURNS - 50, TURNS - 100]) {
      await scrollUp(earlier)
      await earlier.click()
      await until(() => answer(first - 1).count()).toBe(1)
      expect(await answer(first).isVisible()).toBe(true)
      expect(await page.getByRole("button", { name: /\d+ new/ }).count()).toBe(0)
    }
    await scrollUp(log.getByText("Question 0:"))
    expect(await earlier.count()).toBe(0)
  })

  it("shows earlier ones that were asked for while something new was said, and that, too", async () => {
    await using place = await openPlace()
    const { id, session } = await filled(place)
    await using visitor = await visit(`${place.url}/s/${id}/chat`)
    const { page } = visitor
    const { log, answer, earlier, scrollUp } = partsOf(page)
    await answer(TURNS - 1).waitFor()
    const asked = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    await page.route(/\/chat\?before=/, async (route) => {
      asked.resolve()
      await go.promise
      await route.continue().catch(() => undefined)
    })
    await scrollUp(earlier)
    await earlier.click()
    await asked.promise
    await session.decide(() => wholeTurn(TURNS), { signal })
    // The studio receives the new turn while its request for earlier turns is pending.
    const { head } = session.state
    await page.getByText(`${head}/${head}`).waitFor()
    go.resolve()
    await until(() => answer(TURNS - 51).count()).toBe(1)
    await page.unroute(/\/chat\?before=/)
    await log.press("End")
    await answer(TURNS).waitFor()
  })

  it("goes to its end, and stays there, as its reader presses End far above", async () => {
    await using place = await openPlace()
    const { id, session } = await filled(place)
    await using visitor = await visit(`${place.url}/s/${id}/chat`)
    const { log, answer, earlier, scrollUp } = partsOf(visitor.page)
    await answer(TURNS - 1).waitFor()
    for (const first of [TURNS - 50, TURNS - 100]) {
      await scrollUp(earlier)
      await earlier.click()
      await until(() => answer(first - 1).count()).toBe(1)
    }
    await scrollUp(log.getByText("Question 0:"))
    await log.press("End")
    await answer(TURNS - 1).waitFor()
    await session.decide(() => wholeTurn(TURNS), { signal })
    await answer(TURNS).waitFor()
    expect(await log.evaluate((list) => list.scrollHeight - list.clientHeight - list.scrollTop)).toBeLessThan(2)
  })
})
