import { expect, it } from "vitest"
import { type ServerProcess, startServer, temporaryFolder } from "../faults/processes.ts"
import { openPlace } from "./harness/place.ts"
import { onRunScreen } from "./harness/screen.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"
import { startWire } from "./harness/wire.ts"

inChromium("the studio without its server", ({ visit }) => {
  it("says so, when it tries again, and goes on once the server is back", async () => {
    await using folder = await temporaryFolder()
    let server: ServerProcess = startServer(folder.path, "http://127.0.0.1:9")
    await using wire = await startWire((await server.url) ?? "")
    try {
      const { id } = await (await fetch(`${wire.url}/api/v1/sessions`, { method: "POST" })).json()
      await using visitor = await visit(`${wire.url}/s/${id}/run`)
      const { page } = visitor
      const { line } = onRunScreen(page)
      await until(() => line.innerText()).toContain("Live")

      server.kill("SIGKILL")
      await server.ended
      const banner = page.getByRole("status").filter({ hasText: "Disconnected from the server" })
      await banner.getByRole("button", { name: "Retry now" }).waitFor()
      await banner.getByText(/^Retrying( in \d+ s)?$/).waitFor()
      expect(await page.evaluate(() => document.documentElement.dataset.outage)).toBe("")

      server = startServer(folder.path, "http://127.0.0.1:9")
      wire.aim((await server.url) ?? "")
      await until(() => line.innerText()).toContain("Live")
      await until(() => banner.count()).toBe(0)
      expect(await page.evaluate(() => document.documentElement.dataset.outage)).toBeUndefined()
    } finally {
      server.kill("SIGKILL")
      await server.ended
    }
  })

  it("calls a part that isn't there any more a new version, and not a server that is gone", async () => {
    await using place = await openPlace()
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    await onRunScreen(page).finished()
    const parts = "**/assets/prompt-editor-*.js"
    await page.route(parts, (route) => route.fulfill({ status: 404, body: "" }))
    await onRunScreen(page).show("Graph")
    await page.locator('[data-agent-node="coder"]').click()
    await page.getByRole("heading", { name: "A new version is ready" }).waitFor()
    expect(await page.getByText("can't be reached").count()).toBe(0)
    await page.unroute(parts)
    await page.getByRole("button", { name: "Reload" }).click()
    await onRunScreen(page).finished()
    visitor.faults.length = 0
  })

  it("says so where it fails itself, and doesn't reload for that", async () => {
    await using place = await openPlace()
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/docs`)
    const { page } = visitor
    await page.route("**/assets/prompt-editor-*.js", async (route) => {
      const text = await (await route.fetch()).text()
      // The build may rename the component, but its export keeps the name.
      const names = [...text.matchAll(/export\s*\{([^}]+)\}/g)].flatMap(([, list = ""]) => list.split(","))
      const exports = names.map((name) => `fail as ${name.split(" as ").at(-1)?.trim()}`).join(", ")
      const body = `const fail = () => { throw new Error("A fault of the studio.") }\nexport { ${exports} }`
      await route.fulfill({ contentType: "text/javascript", body })
    })
    await page.goto(`${place.url}/s/${id}/run`)
    await onRunScreen(page).finished()
    let loads = 0
    page.on("domcontentloaded", () => loads++)
    await onRunScreen(page).show("Graph")
    await page.locator('[data-agent-node="coder"]').click()
    await page.getByRole("heading", { name: "Something went wrong" }).waitFor()
    await page.getByText("A fault of the studio.").waitFor()
    // Ten seconds is longer than the page's pause between two checks of the server.
    await page.clock.install()
    await page.clock.fastForward(10_000)
    expect(loads).toBe(0)
    visitor.faults.length = 0
  })

  it("waits for a part of itself through an outage, however long, and shows it then", async () => {
    await using place = await openPlace()
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page, context } = visitor
    await page.clock.install()
    await page.reload()
    const screen = onRunScreen(page)
    await screen.finished()
    await screen.show("Graph")
    await page.locator('[data-agent-node="coder"]').waitFor()
    place.wire.cut()
    await context.setOffline(true)
    await until(() => screen.line.innerText()).toContain("Reconnecting")
    await page.locator('[data-agent-node="coder"]').click()
    for (let second = 0; second < 60; second += 5) await page.clock.runFor(5_000)
    expect(await screen.states()).toMatchObject({ coder: "completed" })
    place.wire.mend()
    await context.setOffline(false)
    await until(() => screen.line.innerText()).toContain("Live")
    await page.getByRole("tablist", { name: "Nodes" }).waitFor()
  })

  it("isn't of an earlier version because its server came back between a part and the question for it", async () => {
    await using place = await openPlace()
    const id = await place.session({ built: true })
    await using visitor = await visit(`${place.url}/s/${id}/run`)
    const { page } = visitor
    await onRunScreen(page).finished()
    let asked = 0
    await page.route("**/assets/prompt-editor-*.js", (route) => (asked < 2 ? route.abort() : route.continue()))
    await page.route(
      (url) => url.pathname === "/",
      (route) => (++asked < 2 ? route.abort() : route.continue()),
    )
    await onRunScreen(page).show("Graph")
    await page.locator('[data-agent-node="coder"]').click()
    await page.getByRole("tablist", { name: "Nodes" }).waitFor()
    expect(asked).toBe(2)
  })
})
