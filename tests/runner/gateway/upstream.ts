import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Upstream extends AsyncDisposable {
  url: string
  asked: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[]
}

/** Starts an API of a model that answers with `answer` and records all requests. */
export async function startUpstream(
  answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<Upstream> {
  const asked: Upstream["asked"] = []
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    asked.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body })
    await answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
