import { once } from "node:events"
import { Agent, request } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { expect, it } from "vitest"
import { startServer } from "../server.ts"

it("answers requests that offer HTTP/2 as it answers others, on the same connection", async () => {
  const server = await startServer()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = {
    ...{ connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAEAAEAAAAIAAAAB" },
    "content-type": "application/json",
  }
  async function ask(method: string, path: string, body?: object) {
    const asked = request(`${server.url}${path}`, { agent, method, headers }).end(body && JSON.stringify(body))
    const [answer] = await once(asked, "response")
    return { status: answer.statusCode, body: JSON.parse(await text(answer)), port: asked.socket?.localPort }
  }
  const put = await ask("PUT", "/workspace/file", { path: "notes.txt", content: "Tea at five." })
  expect(put.status).toBe(200)
  const got = await ask("GET", "/workspace/file?path=notes.txt")
  expect(got).toMatchObject({ status: 200, body: { content: "Tea at five." }, port: put.port })
  agent.destroy()
  await server.close()
})

it("lets go of a connection whose upgrade it refuses", async () => {
  const server = await startServer()
  const { host, hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const head = `GET /nowhere HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`
  socket.write(`${head}\r\n`)
  const [answer] = await once(socket, "data")
  expect(String(answer)).toContain("404 Not Found")
  socket.on("error", () => socket.destroy())
  socket.end("what nobody reads")
  // `close` resolves only after all connections have ended.
  await server.close()
})
