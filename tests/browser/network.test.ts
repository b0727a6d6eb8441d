import { afterEach, beforeEach, expect, it } from "vitest"
import { type ServerProcess, startServer, temporaryFolder } from "../faults/processes.ts"
import { projectTurn, subjectOf } from "../faults/project.ts"
import { startModelServer } from "../fixtures/model-server/server.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { latestSeq, onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"
import { startWire } from "./harness/wire.ts"

inChromium("the studio on a bad network", ({ visit }) => {
  let place: Place
  beforeEach(async () => {
    place = await openPlace()
  })
  afterEach(() => place[Symbol.asyncDispose]())

  it("says that it is cut off, lets nothing be changed, and has every event once it is not", async () => {
    const hold = place.director.hold("src/views/item.tsx")
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const screen = onRunScreen(visitor.page)
    await screen.ask("A list.")
    await hold.reached
    await screen.reach({ coder: "active" })

    place.wire.cut()
    await until(() => screen.line.innerText()).toContain("Reconnecting")
    await until(() => screen.prompt.getAttribute("readonly")).not.toBeNull()
    const before = await screen.position()
    hold.release()
    await place.over(id)
    expect(await screen.position()).toBe(before)

    place.wire.mend()
    await screen.finished()
    await expectWhole(place, id, screen)
    await until(() => screen.line.innerText()).toContain("Live")
  })

  it("comes back from a minute without a network, and from there on is as quick as ever", async () => {
    const hold = place.director.hold("src/list.ts")
    const later = place.director.hold("README.md")
    const id = await place.session()
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page, context } = visitor
    await page.clock.install()
    await page.goto(`/s/${id}/run?show=graph`)
    const screen = onRunScreen(page)
    await screen.ask("A list.")
    await hold.reached
    await screen.reach({ coder: "active" })

    place.wire.cut()
    await context.setOffline(true)
    await until(() => screen.line.innerText()).toContain("Reconnecting")
    hold.release()
    await later.reached
    for (let second = 0; second < 60; second += 5) await page.clock.runFor(5_000)
    expect(await screen.line.innerText()).toContain("Reconnecting")

    // The browser reports that the network is back, and the page reconnects without waiting for its next retry.
    place.wire.mend()
    await context.setOffline(false)
    await until(() => screen.line.innerText()).toContain("Live")
    await until(() => page.locator('[data-agent-node="coder"]').innerText()).toContain("File 7/7")
    later.release()
    await screen.finished()
    await expectWhole(place, id, screen)
  })

  it("keeps the place of a reader who has scrolled up while it comes back", async () => {
    const id = await place.session({ built: true })
    const hold = place.director.hold("README.md")
    await place.run(id)
    await hold.reached
    await using visitor = await visit(`${place.url}/s/${id}/run?show=log`, { height: 700 })
    const { page } = visitor
    const screen = onRunScreen(page)
    await screen.log.getByText("Following").waitFor()
    await screen.log.getByRole("log").hover()
    await page.mouse.wheel(0, -600)
    await screen.log.getByText("Paused").waitFor()
    const top = () =>
      screen.rows.evaluateAll((rows) => {
        const box = rows[0]?.closest("[role=log]")?.getBoundingClientRect()
        return rows.find((row) => row.getBoundingClientRect().top >= (box?.top ?? 0))?.getAttribute("data-seq")
      })
    const place0 = await top()
    place.wire.cut()
    await until(() => screen.line.innerText()).toContain("Reconnecting")
    hold.release()
    place.wire.mend()
    await until(() => screen.line.innerText()).toContain("Live")
    await screen.finished()
    expect(await top()).toBe(place0)
    expect(await screen.log.innerText()).toMatch(/\d+ new/)
  })

  it("says so when a session is deleted in another tab", async () => {
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    await onRunScreen(visitor.page).finished()
    // A preview of the deleted session would fail to load.
    await visitor.page.locator("iframe[title=Preview][data-loaded=true]").waitFor()
    await place.ask("DELETE", `/api/v1/sessions/${id}`)
    await visitor.page.getByText("This session was deleted").waitFor()
  })

  it("shows the same in two tabs, of which either may ask", async () => {
    const id = await place.session()
    await using first = await visit(`${place.url}/s/${id}/run`)
    await using second = await visit(`${place.url}/s/${id}/run`, { context: first.context })
    const [one, two] = [onRunScreen(first.page), onRunScreen(second.page)]
    const hold = place.director.hold("src/main.ts")
    await one.ask("A list.")
    await hold.reached
    await two.reach({ planner: "completed", coder: "active" })
    expect(await two.runButton.innerText()).toBe("Stop")
    hold.release()
    await Promise.all([one.finished(), two.finished()])
    await Promise.all([expectWhole(place, id, one), expectWhole(place, id, two)])
    // `src/views` opens only if the page followed a file in it as it was written, which may be true of only one page.
    const inSight = async (screen: typeof one) =>
      (await screen.files()).filter((path) => !path.startsWith("src/views/"))
    await until(two.files).toContain("README.md")
    await until(() => inSight(one)).toEqual(await inSight(two))
  })
})

inChromium("the studio when its server is killed in mid-run", ({ visit }) => {
  it("waits for the next one, and shows the run to its end", async () => {
    await using folder = await temporaryFolder()
    const asked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const models = await startModelServer(async (request) => {
      if (subjectOf(request) === "src/list.js" && request.body.messages.at(-1).role !== "tool") {
        asked.resolve()
        await released.promise
      }
      return projectTurn(request)
    })
    let server: ServerProcess = startServer(folder.path, models.url)
    await using wire = await startWire((await server.url) ?? "")
    try {
      await using visitor = await visit(wire.url)
      const { page } = visitor
      await page.getByRole("textbox", { name: "What to build" }).fill("Make a list.")
      await page.locator("#agent-run-button").click()
      await page.waitForURL(/\/s\/[^/]+\/run$/)
      const screen = onRunScreen(page)
      await asked.promise
      await screen.reach({ coder: "active" })

      server.kill("SIGKILL")
      await server.ended
      await until(() => screen.line.innerText()).toContain("Reconnecting")
      released.resolve()
      server = startServer(folder.path, models.url)
      wire.aim((await server.url) ?? "")
      await until(screen.states).toMatchObject({ coder: "completed" })
      await until(() => screen.line.innerText()).toContain("Live")
      const [shown, total] = (await screen.position()).split("/")
      expect(shown).toBe(total)
    } finally {
      server.kill("SIGKILL")
      await server.ended
      await models.close()
    }
  })
})

/** Waits until the page shows every event exactly once. */
async function expectWhole(place: Place, id: string, screen: ReturnType<typeof onRunScreen>): Promise<void> {
  const seq = await latestSeq(place, id)
  await until(screen.position).toBe(`${seq}/${seq}`)
}
