import { afterEach, beforeEach, expect, it } from "vitest"
import { startBufferingProxy } from "./harness/buffering-proxy.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { latestSeq, onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("the studio behind a proxy that holds streams back and refuses sockets", ({ visit }) => {
  let place: Place
  beforeEach(async () => {
    place = await openPlace()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  it("asks every few seconds, says so, misses nothing, and is live again where the proxy lets streams through", async () => {
    await using proxy = await startBufferingProxy(place.server.server.url)
    const id = await place.session()
    await using visitor = await visit(`${proxy.url}/s/${id}/run`)
    const { page } = visitor
    await page.clock.install()
    await page.reload()
    const screen = onRunScreen(page)
    const state = () => screen.line.innerText()
    const polls = () => proxy.asked.filter((path) => path.includes("wait_ms=")).length
    const lives = () => proxy.asked.filter((path) => path.startsWith("/api/v1/stream")).length - polls()
    /** Advances the page's clock until the condition holds, and no further: the page's polls take real time. */
    const pass = async (isThere: () => boolean) => {
      for (let step = 0; step < 200 && !isThere(); step++) await page.clock.runFor(1_000)
      expect(isThere()).toBe(true)
    }
    await pass(() => polls() > 0)
    await until(state).toContain("Updates every few seconds")

    const hold = place.director.hold("src/list.ts")
    await screen.ask("A list.")
    await hold.reached
    await screen.reach({ coder: "active" })
    hold.release()
    await screen.finished()
    const seq = await latestSeq(place, id)
    await until(screen.position).toBe(`${seq}/${seq}`)
    expect(await state()).toContain("Updates every few seconds")
    expect(polls()).toBeGreaterThan(1)

    proxy.letThrough()
    const before = lives()
    await pass(() => lives() > before)
    // A proxy may pass only the beginning of a response, so only a later event proves that this connection delivers.
    await page.clock.runFor(8_000)
    const rename = (name: string) => place.ask("PATCH", `/api/v1/sessions/${id}`, { name })
    await rename("Through")
    const through = await latestSeq(place, id)
    await until(screen.position).toBe(`${through}/${through}`)
    await page.clock.runFor(4_000)
    await rename("Through at last")
    await until(state).toContain("Live")
    const after = await latestSeq(place, id)
    await until(screen.position).toBe(`${after}/${after}`)
  })
})
