import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createLinks, type Link } from "./links.ts"

const maxBodyLength = 100_000

/**
 * POST /links      {"url": "https://..."} makes a short link
 * GET /links       lists them, with their visits
 * GET /<code>      redirects to the URL
 * DELETE /<code>   forgets the link
 */
export function createApp(links = createLinks()) {
  return createServer(async (request, response) => {
    try {
      await answer(request, response)
    } catch (error) {
      sendJson(response, 400, { error: error instanceof Error ? error.message : "Bad request." })
    }
  })

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname } = new URL(request.url ?? "/", "http://localhost")
    const code = pathname.slice(1)

    switch (`${request.method} ${pathname}`) {
      case "GET /":
        return sendJson(response, 200, { name: "Sample Project", try: "POST /links" })
      case "GET /links":
        return sendJson(response, 200, links.list())
      case "POST /links":
        return sendJson(response, 201, withAddress(links.add(await readUrl(request)), request))
      case `GET /${code}`:
        return redirect(response, links.visit(code)?.url)
      case `DELETE /${code}`:
        return links.remove(code) ? sendJson(response, 200, { removed: code }) : notFound(response)
      default:
        return notFound(response)
    }
  }
}

/** A link with its short address on the requested host. */
function withAddress(link: Link, request: IncomingMessage) {
  return { ...link, short: `http://${request.headers.host}/${link.id}` }
}

function redirect(response: ServerResponse, url: string | undefined) {
  if (url === undefined) return notFound(response)
  response.writeHead(302, { location: url }).end()
}

function notFound(response: ServerResponse) {
  sendJson(response, 404, { error: "There is no such link." })
}

async function readUrl(request: IncomingMessage): Promise<string> {
  const { url } = await readJson(request)
  if (typeof url !== "string") throw new Error("Send url as text.")
  return url
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
