import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** The fate of one connection. */
export type Manners =
  | { answer: number }
  /** The source has this error, and the stream goes on. */
  | { error: string }
  /** Frames after the asked one, of which the last `doubled` come a second time; cut after so many bytes, in pieces. */
  | { doubled?: number; cutAfter?: number; pieceBytes?: number; comments?: boolean; ends: "end" | "cut" | "stall" }

/** A stream of numbered events over real HTTP that is as rude as the test wants it, connection by connection. */
export async function startRudeServer(sent: readonly { seq: number }[], manners: (connection: number) => Manners) {
  const since: number[] = []
  const server = createServer((request, response) => {
    const from = Number(new URL(request.url ?? "", "http://x").searchParams.get("sources")?.split(":")[1])
    const how = manners(since.push(from) - 1)
    if ("answer" in how) {
      response.writeHead(how.answer).end("{}")
      return
    }
    if ("error" in how) {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(frame("error", { error: { code: how.error } }))
      return
    }
    const events = sent.filter(({ seq }) => seq > from)
    const told = [...events, ...events.slice(events.length - (how.doubled ?? 0))]
    const frames = told.map((event) => frame("event", event) + (how.comments ? ": keep-alive\r\n\r\n" : ""))
    const bytes = Buffer.from(`retry: 1000\n\n${frames.join("")}`).subarray(0, how.cutAfter)
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
    for (let at = 0; at < bytes.length; at += how.pieceBytes ?? bytes.length) {
      response.write(bytes.subarray(at, at + (how.pieceBytes ?? bytes.length)))
    }
    if (how.ends === "end") response.end()
    // The written bytes have to be on their way before the socket closes.
    if (how.ends === "cut") response.write("", () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/stream`,
    /** From where each connection wanted to go on. */
    since,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function frame(event: string, data: object): string {
  return `event: ${event}\r\ndata: ${JSON.stringify({ source: 0, data })}\n\n`
}
