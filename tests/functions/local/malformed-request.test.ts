import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { expect, it } from "vitest"
import { startServer } from "../server.ts"

it.each([
  ["what is no HTTP", "HELLO there\r\n\r\n", "400 Bad Request"],
  ["a method that there isn't", "TEA /health HTTP/1.1\r\nHost: localhost\r\n\r\n", "400 Bad Request"],
  ["headers without end", `GET /health HTTP/1.1\r\nX: ${"x".repeat(100_000)}`, "431 Request Header Fields Too Large"],
])("answers %s with a reason, and closes the connection", async (_what, request, status) => {
  const server = await startServer()
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.write(request)
  const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n")
  expect(head).toContain(`HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n`)
  expect(JSON.parse(body)).toMatchObject({
    error: {
      code: "validation_error",
      message: "The request could not be read.",
      details: { reason: expect.any(String) },
    },
  })
  await server.close()
})
