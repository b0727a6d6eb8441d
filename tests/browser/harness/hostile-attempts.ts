import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Locator } from "playwright-core"
import { until } from "./until.ts"

/** Returns an HTML page with a script, which writes its results into `#outcomes`. */
export const pageWith = (title: string, script: string) =>
  `<!doctype html>\n<html lang="en"><head><title>${title}</title></head><body><pre id="outcomes"></pre><script>${script}</script></body></html>\n`

/**
 * Returns a script that tries to reach the studio, and writes the outcome of each attempt: `REACHED` and a result, or
 * the reason for the refusal. `own` is the source of more attempts, which may call `refuse` with a reason.
 */
export const attemptsScript = (studio: string, session: string, own: string) => `
const studio = ${JSON.stringify(studio)}
const refuse = (text) => { throw new Error(text) }
const readable = ({ type }) => type === "opaque" ? refuse("sent, unreadable") : type
const passed = async (answer) => answer.ok ? "passed: " + await answer.text() : refuse(answer.status)
const framed = (address) => new Promise((resolve, reject) => {
  const frame = document.createElement("iframe")
  frame.onload = () => { try { resolve(frame.contentDocument.title) } catch (error) { reject(error) } }
  frame.src = address
  document.body.append(frame)
  setTimeout(() => reject(new Error("nothing loaded")), 2000)
})
const attempts = {
  fetch: async () => (await fetch(studio + "/v1/me", { credentials: "include" })).text(),
  ownHost: async () => passed(await fetch("/v1/me")),
  ownPost: async () => passed(await fetch("/workspace/session", { method: "POST" })),
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
  frameStudio: () => framed(studio + "/"),
  ${own}
}
Promise.all(Object.entries(attempts).map(async ([name, attempt]) => {
  try { return [name, "REACHED " + String(await attempt())] } catch (error) { return [name, "refused: " + error.message] }
})).then((outcomes) => { document.querySelector("#outcomes").textContent = JSON.stringify(Object.fromEntries(outcomes)) })
`

/** Resolves to the outcomes of all attempts, by name. */
export async function outcomesIn(element: Locator): Promise<Record<string, string>> {
  await until(() => element.innerText()).toMatch(/^\{/)
  return JSON.parse(await element.innerText())
}

/** Returns the names of the attempts that succeeded. */
export function reachedBy(outcomes: Record<string, string>): string[] {
  return Object.keys(outcomes).filter((name) => outcomes[name]?.startsWith("REACHED"))
}

/**
 * Opens an unprotected site whose pages share one origin. It serves these pages, and answers every other request too.
 */
export async function openUnprotected(pagesAt: (url: string) => Record<string, string>) {
  const server = createServer(({ url = "" }, response) => {
    const page = pagesAt(address())[url]
    const type = page !== undefined || url === "/" ? "html" : "javascript"
    response.setHeader("content-type", url === "/favicon.svg" ? "image/svg+xml" : `text/${type}`)
    if (url === "/favicon.svg") return response.end('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')
    response.end(page ?? "1")
  })
  server.on("upgrade", ({ headers }, socket) => {
    const key = `${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash("sha1").update(key).digest("base64")
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
  })
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: address(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
