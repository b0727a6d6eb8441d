import { expect, it } from "vitest"
import { fillChat, lastWordOf, wholeTurn } from "../../bench/long-chat.ts"
import { signal } from "../../bench/stage.ts"
import { logOf } from "./harness/long.ts"
import { openPlace } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const TURNS = 120

inChromium("a chat of 240 messages", ({ visit }) => {
  it("shows earlier ones above those that its reader sees, who stays there and is told of none as new", async () => {
    await using place = await openPlace()
    const id = await place.session()
    await fillChat(await logOf(place, id), TURNS)
    await using visitor = await visit(`${place.url}/s/${id}/chat`)
    const { page } = visitor
    const log = page.getByRole("log", { name: "Conversation" })
    const answer = (turn: number) => log.getByText(lastWordOf(turn))
    const earlier = log.getByRole("button", { name: "Show earlier messages" })
    await answer(TURNS - 1).waitFor()
    for (const first of [TURNS - 50, TURNS - 100]) {
      await log.hover()
      await until(async () => {
        await page.mouse.wheel(0, -5000)
        return earlier.isVisible()
      }).toBe(true)
      await earlier.click()
      await until(() => answer(first - 1).count()).toBe(1)
      expect(await answer(first).isVisible()).toBe(true)
      expect(await page.getByRole("button", { name: /\d+ new/ }).count()).toBe(0)
    }
    await until(async () => {
      await page.mouse.wheel(0, -5000)
      return log.getByText("Question 0:").isVisible()
    }).toBe(true)
    expect(await earlier.count()).toBe(0)
  })

  it("shows earlier ones that were asked for while something new was said, and that, too", async () => {
    await using place = await openPlace()
    const id = await place.session()
    const session = await logOf(place, id)
    await fillChat(session, TURNS)
    await using visitor = await visit(`${place.url}/s/${id}/chat`)
    const { page } = visitor
    const log = page.getByRole("log", { name: "Conversation" })
    const answer = (turn: number) => log.getByText(lastWordOf(turn))
    const earlier = log.getByRole("button", { name: "Show earlier messages" })
    await answer(TURNS - 1).waitFor()
    const asked = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    await page.route(/\/chat\?before=/, async (route) => {
      asked.resolve()
      await go.promise
      await route.continue().catch(() => undefined)
    })
    await log.hover()
    await until(async () => {
      await page.mouse.wheel(0, -5000)
      return earlier.isVisible()
    }).toBe(true)
    await earlier.click()
    await asked.promise
    await session.decide(() => wholeTurn(TURNS), { signal })
    // The studio hears of it while the earlier ones are on their way.
    const { head } = session.state
    await page.getByText(`${head}/${head}`).waitFor()
    go.resolve()
    await until(() => answer(TURNS - 51).count()).toBe(1)
    await page.unroute(/\/chat\?before=/)
    await log.press("End")
    await answer(TURNS).waitFor()
  })
})
