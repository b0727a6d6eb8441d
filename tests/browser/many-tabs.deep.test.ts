import type { BrowserContext, Page, Request } from "playwright-core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { onTerminal, withAgents } from "./harness/agents.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

/** Twice the number of connections that a browser opens to one server over HTTP/1.1. */
const TABS = 12

inChromium("the studio in many tabs", ({ visit }) => {
  let place: Place
  let opened: AsyncDisposableStack
  beforeEach(async () => {
    opened = new AsyncDisposableStack()
    place = opened.use(await openPlace())
  })
  afterEach(() => opened.disposeAsync())

  /** Opens the addresses in tabs of one browser, one after another. */
  async function openTabs(paths: string[]) {
    const { context } = opened.use(await visit(`${place.url}/docs`))
    const streams = openStreams(context)
    const pages: Page[] = []
    for (const path of paths) pages.push(opened.use(await visit(place.url + path, { context })).page)
    return { context, pages, streams }
  }
  const openSessions = (count: number) => Promise.all(Array.from({ length: count }, () => place.session()))
  const isLive = (page: Page) => until(() => onRunScreen(page).line.innerText()).toContain("Live")

  it("is live in each of twelve tabs of one session, and runs what one of them asks for", async () => {
    const id = await place.session()
    const { pages, streams } = await openTabs(Array(TABS).fill(`/s/${id}/run`))
    for (const page of pages) await isLive(page)
    await onRunScreen(pages.at(-1) as Page).ask("A list.")
    for (const page of pages) await onRunScreen(page).finished()
    expect(streams.size).toBe(1)
  })

  it("is live in twelve tabs of twelve sessions, and still is when the tab with the connection is closed", async () => {
    const ids = await openSessions(TABS)
    const { pages, streams } = await openTabs(ids.map((id) => `/s/${id}/run`))
    for (const page of pages) await isLive(page)
    expect(ownersOf(streams)).toEqual([pages[0]])
    await pages[0]?.close()
    for (const id of ids.slice(10)) await place.run(id)
    for (const page of pages.slice(10)) await onRunScreen(page).finished()
    await until(() => ownersOf(streams).length).toBe(1)
  })

  it("goes on when the tab with the connection crashes, and when the next one is frozen", async () => {
    const ids = await openSessions(3)
    const { context, pages, streams } = await openTabs(ids.map((id) => `/s/${id}/run`))
    const [first, second, third] = pages as [Page, Page, Page]
    for (const page of pages) await isLive(page)
    const command = async (page: Page) => context.newCDPSession(page)
    const crashed = first.waitForEvent("crash")
    ;(await command(first)).send("Page.crash").catch(() => undefined)
    await crashed
    await until(() => ownersOf(streams)).toContain(second)
    const frozen = await command(second)
    await frozen.send("Page.setWebLifecycleState", { state: "frozen" })
    await place.run(ids[2] as string)
    await onRunScreen(third).finished()
    await frozen.send("Page.setWebLifecycleState", { state: "active" })
    await place.run(ids[1] as string)
    await onRunScreen(second).finished()
  })

  it("shows the terminals of agents in twelve tabs, and what is typed in one of them in all", async () => {
    const agents = withAgents(place)
    const ids = [
      await agents.begin({ say: "I am the first.", hangs: true }),
      await agents.begin({ say: "I am the second.", hangs: true }),
    ]
    const { pages, streams } = await openTabs(Array.from({ length: TABS }, (_, n) => `/s/${ids[n % 2]}/term`))
    for (const [n, page] of pages.entries())
      await onTerminal(page).shows(n % 2 ? "I am the second." : "I am the first.")
    expect(streams.size).toBe(1)
    await onTerminal(pages[11] as Page).enter()
    await pages[11]?.keyboard.type("and more")
    for (const page of pages.filter((_, n) => n % 2)) await onTerminal(page).shows("and more")
    for (const id of ids) await place.ask("POST", `/api/v1/sessions/${id}/cancel`)
    for (const page of pages) await page.getByText("· ended").waitFor()
  })

  it("has a connection for each tab in a browser without locks", async () => {
    const { context, streams } = await openTabs([])
    await context.addInitScript(() => Object.defineProperty(navigator, "locks", { value: undefined }))
    const ids = await openSessions(2)
    for (const id of ids) {
      const { page } = opened.use(await visit(`${place.url}/s/${id}/run`, { context }))
      await isLive(page)
    }
    expect(streams.size).toBe(2)
  })
})

/** Tracks the open connections of a browser's pages, whether sockets or streams. Returns the pages that have one. */
function openStreams(context: BrowserContext): Set<Page> {
  const open = new Set<Page>()
  const byRequest = new Map<Request, Page>()
  context.on("page", (page) =>
    page.on("websocket", (socket) => {
      if (!/\/ws\?/.test(socket.url())) return
      open.add(page)
      socket.on("close", () => open.delete(page))
    }),
  )
  context.on("request", (request) => {
    if (!/\/stream(\?|$)/.test(request.url())) return
    byRequest.set(request, request.frame().page())
    open.add(request.frame().page())
  })
  const end = (request: Request) => {
    const page = byRequest.get(request)
    if (page) open.delete(page)
  }
  context.on("requestfinished", end)
  context.on("requestfailed", end)
  return open
}

/** Returns the pages that are still open. */
function ownersOf(streams: Set<Page>): Page[] {
  return [...streams].filter((page) => !page.isClosed())
}
