import { randomUUID } from "node:crypto"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import type { Lambda } from "./lambda.ts"
import { listen } from "./listen.ts"

/** Separates the status and headers of a streamed answer, in JSON, from its body. */
const DELIMITER = Buffer.alloc(8)

/**
 * Opens the address of a function with streamed answers. Clients speak HTTP, and the function receives payloads of
 * format 2.0.
 */
export function openFunctionUrl(lambda: Lambda, name: string) {
  return listen(async (request, response) => {
    const event = await payloadOf(request)
    const outcome = await lambda.invoke(name, event, (body) => passOn(body, response))
    if (outcome.kind === "done") return response.end()
    // The status is already sent, so only the connection can still show the failure.
    if (response.headersSent) return response.destroy()
    response.writeHead(502, { "content-type": "application/json" }).end('{"message":"Internal Server Error"}')
  })
}

async function payloadOf(request: IncomingMessage) {
  const { pathname, search, searchParams } = new URL(request.url ?? "/", "http://url")
  const body = await buffer(request)
  const http = {
    method: request.method,
    path: pathname,
    protocol: "HTTP/1.1",
    sourceIp: "127.0.0.1",
    userAgent: request.headers["user-agent"] ?? "",
  }
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    cookies: request.headers.cookie?.split("; "),
    queryStringParameters: Object.fromEntries(searchParams),
    requestContext: {
      accountId: "anonymous",
      apiId: "rehearsal",
      domainName: "rehearsal.lambda-url.eu-central-1.on.aws",
      domainPrefix: "rehearsal",
      http,
      requestId: randomUUID(),
      routeKey: "$default",
      stage: "$default",
      time: new Date().toISOString(),
      timeEpoch: Date.now(),
    },
    body: body.length > 0 ? body.toString("base64") : undefined,
    isBase64Encoded: body.length > 0,
  }
}

/**
 * Passes on a streamed answer. A handler doesn't learn that its reader left, so its output is read to the end in any
 * case.
 */
async function passOn(source: IncomingMessage, response: ServerResponse): Promise<void> {
  let begun: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of source as AsyncIterable<Buffer>) {
    let body = chunk
    if (begun) {
      begun = Buffer.concat([begun, chunk])
      const end = begun.indexOf(DELIMITER)
      if (end < 0) continue
      begin(response, JSON.parse(begun.subarray(0, end).toString()))
      body = begun.subarray(end + DELIMITER.length)
      begun = undefined
    }
    if (body.length === 0 || response.destroyed || response.write(body)) continue
    await Promise.race([once(response, "drain"), once(response, "close")])
  }
}

interface Prelude {
  statusCode?: number
  headers?: Record<string, string>
  cookies?: string[]
}

function begin(response: ServerResponse, { statusCode = 200, headers = {}, cookies = [] }: Prelude): void {
  response.writeHead(statusCode, { ...headers, ...(cookies.length > 0 && { "set-cookie": cookies }) })
  response.flushHeaders()
}
