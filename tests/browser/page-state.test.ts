import { afterAll, beforeAll, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

/** Imitates a browser whose user allows notifications. If `hidden` is set, the user is looking at another tab. */
function allowNotifications() {
  const seen = { asked: 0, shown: [] as string[], hidden: false }
  class Fake {
    static permission = "default"
    static async requestPermission() {
      seen.asked++
      Fake.permission = "granted"
      return Fake.permission
    }
    constructor(_title: string, { body }: { body: string }) {
      seen.shown.push(body)
    }
  }
  Object.assign(window, { Notification: Fake, seen })
  Object.defineProperty(document, "hidden", { get: () => seen.hidden })
}

type Seen = { seen: { asked: number; shown: string[]; hidden: boolean } }

inChromium("the tab of a session", ({ visit }) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace()
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  it("shows name and state, asks once whether to notify, and notifies while another tab is looked at", async () => {
    const id = await place.session()
    await using other = await visit(`${place.url}/docs`)
    await other.context.addInitScript(allowNotifications)
    await using visitor = await visit(`${place.url}/s/${id}/run`, { context: other.context })
    const { page } = visitor
    const screen = onRunScreen(page)
    const icon = () => page.locator('link[rel="icon"]').getAttribute("href")
    const seen = () => page.evaluate(() => (window as unknown as Seen).seen)
    await screen.prompt.waitFor()
    expect(await icon()).toBe("/favicon.svg")

    const hold = place.director.hold("plan")
    await screen.ask("A list.")
    await hold.reached
    await until(() => page.title()).toBe("A list. · Working · Switchyard")
    await until(icon).toMatch(/^data:image\/svg/)
    await until(seen).toEqual({ asked: 1, shown: [], hidden: false })
    await page.evaluate(() => {
      ;(window as unknown as Seen).seen.hidden = true
    })
    hold.release()
    await until(() => page.title()).toBe("List · Done · Switchyard")
    expect(await seen()).toEqual({ asked: 1, shown: ["Done."], hidden: true })

    // A run that fails while its page is visible sends no notification.
    await page.evaluate(() => {
      ;(window as unknown as Seen).seen.hidden = false
    })
    place.director.fail("plan", new Error("out of order"))
    await place.run(id, "Another.")
    await until(() => page.title()).toBe("List · Failed · Switchyard")
    expect(await seen()).toEqual({ asked: 1, shown: ["Done."], hidden: false })
    place.director.mend()

    await page.getByRole("link", { name: "Switchyard" }).first().click()
    await until(() => page.title()).toBe("Switchyard")
    expect(await icon()).toMatch(/favicon\.svg$/)
  })
})
