import { expect, it } from "vitest"
import { fillChat, lastWordOf } from "../../bench/long-chat.ts"
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
})
