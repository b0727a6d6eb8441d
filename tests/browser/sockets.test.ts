import { once } from "node:events"
import { request as ask, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock } from "@switchyard/core/time"
import { compose } from "@switchyard/functions/compose"
import { loadConfig } from "@switchyard/functions/config"
import { isSocketPath } from "@switchyard/functions/http/socket-address"
import { masterKey } from "@switchyard/functions/local/secrets"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { leadToGateway } from "../emulators/lead-to-gateway.ts"
import { serveSockets } from "../emulators/served-sockets.ts"
import { readFrames } from "../functions/agents/frames.ts"
import { onTerminal } from "./harness/agents.ts"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

const ADMIN_TOKEN = "the-token-of-whoever-installed-it-all"
const ORIGIN = "origin-secret-origin-secret-origin-secret"
const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
const MINUTE_MS = 60_000

inChromium("a terminal of the studio in the cloud", ({ visit }) => {
  let place: Place
  let served: Awaited<ReturnType<typeof serveSockets>>
  let edge: Awaited<ReturnType<typeof startEdge>>

  beforeAll(async () => {
    const env = { AUTH_MODE: "token", ADMIN_TOKEN }
    place = await openPlace({ env })
    const { stores, folder, reported } = place.server
    const config = loadConfig({ ...env, SWITCHYARD_DATA: folder })
    const report = (error: unknown) => reported.push(error)
    const sealer = createSealer(new Uint8Array(32))
    const launcher = { start: async () => {} }
    const core = compose(config, {
      ...{ ...stores, clock: systemClock, sealer, sealerOf: () => sealer, launcher, writer: "socket", report },
    })
    const key = await masterKey(folder)
    served = await serveSockets({ config, core, stores, masterKey: key, originSecret: ORIGIN, report })
    edge = await startEdge(place.server.server.url, served.gateway.endpoint)
  })
  afterAll(async () => {
    edge.stop()
    await served.gateway.stop()
    await place[Symbol.asyncDispose]()
    expect([...served.gateway.failed, ...place.server.reported]).toEqual([])
  })

  it("is shown and typed into over one socket, which may end, be cut or be refused, and loses and doubles no key", async () => {
    const { gateway } = served
    const { id } = await place.ask("POST", "/api/v1/sessions", {})
    const json = { coding_agent: "mock", task_description: 'mock: {"say":"Here.","hangs":true}' }
    await place.ask("POST", `/api/v1/sessions/${id}/tasks`, json)
    const stream = `/api/v1/sessions/${id}/stream?include_terminal=false`
    for await (const { data } of readFrames(place.server.server, stream, headers))
      if (data.type === "agent_session_opened") break

    await using visitor = await visit(`${edge.url}/s/${id}/term#token=${ADMIN_TOKEN}`)
    const { page } = visitor
    const terminal = onTerminal(page)
    await terminal.shows("Here.")
    await terminal.enter()
    let typed = ""
    /** Types keys one at a time, and waits for each on the screen. */
    const type = async (keys: string) => {
      for (const key of keys) {
        await page.keyboard.type(key)
        typed += key
        await terminal.shows(typed)
      }
    }
    await until(() => gateway.connections().length).toBe(1)
    let ready = 0
    page.on("websocket", (socket) => {
      socket.on("framereceived", ({ payload }) => {
        if (String(payload) === '{"type":"ready"}') ready += 1
      })
    })
    await type("one-")
    expect(edge.asked).not.toContain("GET /api/v1/stream")

    // The pump reaches its time limit, ten minutes pass without a message, then two hours: each time the next socket
    // continues without a notice.
    for (const end of [
      () => served.endPumps(),
      () => gateway.pass(10 * MINUTE_MS),
      () => gateway.pass(120 * MINUTE_MS),
    ]) {
      const [before] = gateway.connections()
      const ended = watchNotices(page)
      ready = 0
      await end()
      await until(() => gateway.connections().filter((one) => one !== before).length).toBe(1)
      // Keys go by POST until the next socket reports that it is ready.
      await until(() => ready).toBe(1)
      await type("on-")
      expect(await ended()).toEqual([])
    }
    expect(edge.asked.filter((one) => /input|\/stream$/.test(one) && !one.includes("include_terminal"))).toEqual([])

    // Cuts the socket while keys are in flight, typed without a pause.
    const word = "abcdefghijklmnopqrstuvwxyz0123456789"
    const typing = page.keyboard.type(word)
    await until(terminal.text).toMatch(/abcd/)
    gateway.invokes(async () => ({ statusCode: 503 }))
    gateway.cut()
    await typing
    typed += word
    await terminal.shows(typed)
    expect((await terminal.text()).split(word)).toHaveLength(2)
    // No socket is open anymore.
    await type("-and-on")
    expect(edge.asked.some((one) => one.endsWith("/input"))).toBe(true)
    expect(edge.asked).toContain("GET /api/v1/stream")
    await place.ask("POST", `/api/v1/sessions/${id}/cancel`)
    await place.over(id)
  })
})

/** Records every notice about the terminal's connection from now on, however briefly it is shown. */
function watchNotices(page: Page): () => Promise<string[]> {
  const watching = page.evaluate(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    new MutationObserver(() => {
      if (document.body.innerText.includes("You can't type")) seen.push("You can't type")
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  return async () => {
    await watching
    return page.evaluate(() => (window as unknown as { seen: string[] }).seen)
  }
}

/** Starts a router that sends sockets to API Gateway and all other requests to the server. */
async function startEdge(server: string, gateway: string) {
  const asked: string[] = []
  const edge = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split("?")[0]}`)
    const onward = ask(`${server}${request.url}`, { method: request.method, headers: request.headers, agent: false })
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
    })
    onward.on("error", () => response.destroy())
    response.on("close", () => onward.destroy())
    request.pipe(onward)
  })
  edge.on("upgrade", (request, connection) => {
    if (!isSocketPath(request.url?.split("?")[0] ?? "")) return connection.destroy()
    leadToGateway(request, connection, { gateway, secret: ORIGIN })
  })
  edge.listen(0, "127.0.0.1")
  await once(edge, "listening")
  return {
    url: `http://127.0.0.1:${(edge.address() as AddressInfo).port}`,
    /** Method and path of each request, in order. */
    asked,
    stop() {
      edge.closeAllConnections()
      edge.close()
    },
  }
}
