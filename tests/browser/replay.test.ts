import { EventPage } from "@switchyard/core/sessions/schema"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { toEvent } from "../../packages/web/src/session/stream/event.ts"
import { emptyView, reduceView } from "../../packages/web/src/session/stream/view.ts"
import { longSession, MANY } from "./harness/long.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { latestSeq, onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

inChromium("the run line", ({ visit }) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace()
  })
  afterAll(() => place?.[Symbol.asyncDispose]())

  it("shows graph and files of any moment, lets nothing be changed there, and goes back to now", async () => {
    const id = await place.session({ built: true })
    const page = EventPage.parse(await place.ask("GET", `/api/v1/sessions/${id}/events?limit=1000`))
    const events = page.events.map(toEvent)
    const commits = events.filter(({ type }) => type === "workspace_committed")
    const third = commits[2]?.seq ?? 0
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const screen = onRunScreen(visitor.page)
    await screen.finished()

    await screen.show("Code")
    await screen.tree.waitFor()
    await goTo(visitor.page, third)
    const then = events.filter(({ seq }) => seq <= third).reduce(reduceView, emptyView)
    await until(screen.states).toEqual(
      Object.fromEntries(Object.entries(then.graph.nodes).map(([node, { state }]) => [node, state])),
    )
    expect(then.graph.nodes.coder.state).toBe("active")
    await until(() => screen.position()).toMatch(new RegExp(`^${third}/`))
    await until(() => screen.tree.innerText()).toContain("3 files")
    expect(await screen.prompt.getAttribute("readonly")).not.toBeNull()
    await screen.show("Log")
    await until(async () => (await shownSeqs(visitor.page)).length).toBeGreaterThan(0)
    await until(async () => (await shownSeqs(visitor.page)).every((seq) => seq <= third)).toBe(true)
    // The address contains the moment, so a link shows it to another person.
    await until(() => visitor.page.url()).toContain(`seq=${third}`)

    await using other = await visit(visitor.page.url())
    await until(() => onRunScreen(other.page).position()).toMatch(new RegExp(`^${third}/`))

    await visitor.page.getByRole("button", { name: "Live", exact: true }).click()
    await screen.finished()
    await until(() => screen.position()).toMatch(/^(\d+)\/\1$/)
    await until(() => visitor.page.url()).not.toContain("seq=")
  })

  it("goes event by event with the keyboard, and back to live with L", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const screen = onRunScreen(visitor.page)
    await screen.finished()
    // Opening the session appends an event, too.
    const viewed = `/api/v1/sessions/${id}/events?event_types=session_viewed`
    await until(async () => (await place.ask("GET", viewed)).events.length).toBe(1)
    const total = await latestSeq(place, id)
    await until(() => screen.position()).toBe(`${total}/${total}`)
    await visitor.page.locator("body").press("[")
    await until(() => screen.position()).toBe(`${total - 1}/${total}`)
    await visitor.page.locator("body").press("[")
    await until(() => screen.position()).toBe(`${total - 2}/${total}`)
    await visitor.page.locator("body").press("]")
    await until(() => screen.position()).toBe(`${total - 1}/${total}`)
    await visitor.page.locator("body").press("l")
    await until(() => screen.position()).toBe(`${total}/${total}`)
  })

  it("takes a session of five thousand events, and only reads and draws what is looked at", async () => {
    const id = await longSession(place)
    await using visitor = await visit(`${place.url}/s/${id}/run?show=log`)
    const { page } = visitor
    const screen = onRunScreen(page)
    // Opening the session appends one more event.
    const total = MANY + 1
    await until(() => screen.position()).toBe(`${total}/${total}`)
    await screen.log.getByText("Following").waitFor()
    await screen.log.getByLabel("details").check()
    const earlier = (MANY - 500).toLocaleString("en")
    await until(() => screen.log.innerText()).toContain(`501 entries loaded, ${earlier} more available`)
    expect(await screen.log.locator("*").count()).toBeLessThan(600)
    expect(await page.locator("*").count()).toBeLessThan(2500)

    await screen.log.getByRole("log").hover()
    await page.mouse.wheel(0, -20_000)
    await screen.log.getByText("Paused").waitFor()
    await until(() => screen.log.innerText()).toContain(
      `1,001 entries loaded, ${(MANY - 1000).toLocaleString("en")} more available`,
    )
    expect(await screen.log.locator("*").count()).toBeLessThan(600)
    await goTo(page, 2500)
    await until(() => screen.position()).toBe(`2500/${total}`)
    await until(async () => Math.max(...(await shownSeqs(page)))).toBe(2500)
    expect(await screen.log.locator("*").count()).toBeLessThan(600)
    await screen.log.getByLabel("details").uncheck()
  })
})

/** Moves the run line's thumb to a position, as a drag does. */
async function goTo(page: Page, position: number): Promise<void> {
  await onRunScreen(page).moment.fill(String(position))
}

function shownSeqs(page: Page): Promise<number[]> {
  return onRunScreen(page).rows.evaluateAll((rows) => rows.map((row) => Number((row as HTMLElement).dataset.seq)))
}
