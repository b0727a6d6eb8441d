import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { shout } from "./shouting.ts"

const maxBodyLength = 100_000

/** POST /perform with {"phrase": "..."} answers {"result": ...}; a bad request is answered with {"error"}. */
export function createApp() {
  return createServer(async (request, response) => {
    try {
      const { pathname } = new URL(request.url ?? "/", "http://localhost")
      if (pathname === "/") return sendJson(response, 200, { name: "Sample Project", try: "POST /perform" })
      if (pathname !== "/perform") return sendJson(response, 404, { error: "Not found." })
      if (request.method !== "POST") return sendJson(response, 405, { error: "Use POST." })

      const { phrase } = await readJson(request)
      if (typeof phrase !== "string") return sendJson(response, 400, { error: "Send phrase as text." })
      sendJson(response, 200, { result: shout(phrase) })
    } catch (error) {
      sendJson(response, 400, { error: error instanceof Error ? error.message : "Bad request." })
    }
  })
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk
    if (text.length > maxBodyLength) throw new Error("The body is too long.")
  }
  const body = JSON.parse(text)
  return body !== null && typeof body === "object" ? body : {}
}

function sendJson(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" })
  response.end(`${JSON.stringify(body, null, 2)}\n`)
}
