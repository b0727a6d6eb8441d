/** Serves growing logs as shared streams through a `fetch`. No operation takes time. */
export function createFakeServer() {
  const logs = new Map<string, number>()
  const open = new Set<Connection>()
  let isDown = false
  const requests: string[] = []

  const headOf = (session: string) => logs.get(session) ?? 0
  function pump(connection: Connection): void {
    for (const [source, one] of connection.sources.entries()) {
      for (; one.seq < headOf(one.session); ) {
        one.seq += 1
        const data = JSON.stringify({ source, data: { type: "note", session_id: one.session, seq: one.seq } })
        connection.send(`event: event\ndata: ${data}\n\n`)
      }
    }
  }

  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const sources = new URL(String(input)).searchParams.get("sources") ?? ""
    requests.push(sources)
    init?.signal?.throwIfAborted()
    if (isDown) throw new TypeError("Failed to fetch")
    const encoder = new TextEncoder()
    let connection: Connection
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        connection = {
          sources: sources.split(",").map((source) => {
            const [session = "", seq] = source.split(":")
            return { session, seq: Number(seq) }
          }),
          send: (text) => controller.enqueue(encoder.encode(text)),
          end: () => controller.close(),
          cut: () => controller.error(new TypeError("network error")),
        }
        open.add(connection)
        connection.send("retry: 1000\n")
        pump(connection)
        init?.signal?.addEventListener("abort", () => {
          if (!open.delete(connection)) return
          connection.cut()
        })
      },
      cancel: () => void open.delete(connection),
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  }
  const endAll = (how: "end" | "cut") => {
    for (const connection of [...open]) {
      open.delete(connection)
      connection[how]()
    }
  }

  return {
    fetch: fetch as typeof globalThis.fetch,
    requests,
    headOf,
    connections: () => open.size,
    append(session: string, count = 1): void {
      logs.set(session, headOf(session) + count)
      for (const connection of open) pump(connection)
    },
    /** `end` closes every connection properly, `cut` breaks it as a network failure does. */
    end: () => endAll("end"),
    cut: () => endAll("cut"),
    stop(): void {
      isDown = true
      endAll("cut")
    },
    start(): void {
      isDown = false
    },
  }
}

interface Connection {
  sources: { session: string; seq: number }[]
  send(text: string): void
  end(): void
  cut(): void
}
