import { createServer, type IncomingMessage } from "node:http"

const maxBodyLength = 100_000

export interface Request {
  method: string
  path: string
  host: string
  readJson(): Promise<Record<string, unknown>>
}

export type Answer = [status: number, body: unknown, headers?: Record<string, string>]

export const notFound: Answer = [404, { error: "Not found." }]
export const wrongMethod: Answer = [405, { error: "This is not what that path is for." }]

/** The answer with a value, or "not found" without one. */
export function found(value: unknown): Answer {
  return value === undefined ? notFound : [200, value]
}

/** Answers in JSON. An error becomes {"error"}. */
export function createJsonServer(answer: (request: Request) => Promise<Answer>) {
  return createServer(async (incoming, response) => {
    const send = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
      response.end(`${JSON.stringify(body, null, 2)}\n`)
    }
    const { method = "GET", url = "/", headers } = incoming
    try {
      const path = new URL(url, "http://localhost").pathname
      send(...(await answer({ method, path, host: headers.host ?? "", readJson: () => readJson(incoming) })))
    } catch (error) {
      send(400, { error: error instanceof Error ? error.message : "Bad request." })
    }
  })
}

async function readJson(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  let text = ""
  for await (const chunk of incoming.setEncoding("utf8")) {
    text += chunk
    if (text.length > maxBodyLength) throw new Error("The body is too long.")
  }
  const body = JSON.parse(text)
  return body !== null && typeof body === "object" ? body : {}
}
