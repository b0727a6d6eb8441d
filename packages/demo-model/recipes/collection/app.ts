import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { openSamples } from "./samples.ts"

const maxBodyLength = 100_000

/** Serves the samples over HTTP. A bad request is answered with {"error"}. */
export function createApp(samples = openSamples()) {
  return createServer(async (request, response) => {
    try {
      const [status, body] = await answer(request)
      sendJson(response, status, body)
    } catch (error) {
      sendJson(response, 400, { error: error instanceof Error ? error.message : "Bad request." })
    }
  })

  async function answer(request: IncomingMessage): Promise<[status: number, body: unknown]> {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    const [, root, id, action] = pathname.split("/")
    if (pathname === "/") return [200, { name: "Sample Project", try: "GET /samples" }]
    if (root !== "samples") return notFound

    if (id === undefined) {
      if (request.method === "GET") return [200, samples.list()]
      if (request.method === "POST") return [201, samples.add(await readJson(request))]
      return wrongMethod
    }
    if (action === "flag" && request.method === "POST") return found(samples.flag(id))
    if (action !== undefined) return notFound
    if (request.method === "GET") return found(samples.get(id))
    if (request.method === "PATCH") return found(samples.change(id, await readJson(request)))
    if (request.method === "DELETE") return samples.remove(id) ? [200, { removed: id }] : notFound
    return wrongMethod
  }
}

const notFound: [number, unknown] = [404, { error: "Not found." }]
const wrongMethod: [number, unknown] = [405, { error: "This is not what that path is for." }]

function found(sample: unknown): [number, unknown] {
  return sample === undefined ? notFound : [200, sample]
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
