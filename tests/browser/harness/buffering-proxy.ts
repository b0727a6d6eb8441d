import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

export interface BufferingProxy extends AsyncDisposable {
  url: string
  /** Paths and queries of all requests, in order. */
  asked: string[]
  /** From the next request on, passes everything through as it arrives. */
  letThrough(): void
}

/**
 * Starts a proxy like those in some companies: it delivers a response only once it has ended, and supports no sockets.
 */
export async function startBufferingProxy(target: string): Promise<BufferingProxy> {
  const { hostname, port } = new URL(target)
  const asked: string[] = []
  let isBuffering = true
  const server = createServer((near, answer) => {
    asked.push(near.url ?? "")
    const holds = isBuffering
    const far = request({ hostname, port, method: near.method, path: near.url, headers: near.headers }, (response) => {
      if (holds) {
        const parts: Buffer[] = []
        response.on("data", (part) => parts.push(part))
        response.on("end", () =>
          answer.writeHead(response.statusCode ?? 502, response.headers).end(Buffer.concat(parts)),
        )
      } else {
        answer.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(answer)
      }
      response.on("error", () => answer.destroy())
    })
    far.on("error", () => answer.destroy())
    answer.on("close", () => far.destroy())
    near.pipe(far)
  })
  server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n"))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    letThrough: () => {
      isBuffering = false
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
