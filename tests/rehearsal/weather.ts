import { request as ask, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { listen } from "./listen.ts"

/**
 * Decides the fate of a request to a store: it is delayed or fails, or its answer is lost, breaks off, is garbled or
 * never comes. Undefined changes nothing.
 */
export type Weather = (
  request: string,
  about: { url: string; authorization: string | undefined; date: string | undefined },
) => Struck | undefined

interface Struck {
  delayMs?: number
  failure?: { status: number; body: string }
  /** Replace the answer's own headers. */
  headers?: Record<string, string>
  unheard?: boolean
  /** The answer breaks off in the middle of its body. */
  truncated?: boolean
  /** The answer's last byte is changed. */
  garbled?: boolean
  /**
   * If true, the connection stays open without an answer, and the store gets no request. If `amid`, half of the answer
   * comes.
   */
  never?: true | "amid"
  /** `before` runs before the request arrives or its failure is sent. `after` runs once the request has arrived. */
  before?: () => Promise<unknown>
  after?: () => Promise<unknown>
}

export const THROTTLED = {
  status: 400,
  body: '{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"Slow down."}',
}
export const BROKEN = { status: 500, body: '{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}' }

/**
 * Starts a proxy that applies the weather to an emulator's requests. Requests arrive whole or not at all, because
 * DynamoDB's emulator crashes on partial ones.
 */
export async function startWeather(target: string) {
  let weather: Weather = () => undefined
  let met = 0
  const server = await listen(async (request, response) => {
    const body = await buffer(request).catch(() => undefined)
    if (!body) return
    const struck = weather(body.toString("latin1"), {
      url: request.url ?? "",
      authorization: request.headers.authorization,
      date: request.headers["x-amz-date"]?.toString(),
    })
    if (struck) met++
    const { delayMs, failure, headers: others, unheard, truncated, garbled, never, before, after } = struck ?? {}
    await before?.()
    if (delayMs) await new Promise((resolve) => setTimeout(resolve, delayMs))
    if (never === true) return
    if (failure) {
      response.writeHead(failure.status, { "content-type": "application/x-amz-json-1.0", ...others }).end(failure.body)
      return
    }
    const { "transfer-encoding": _, ...headers } = request.headers
    const origin = ask(target, {
      method: request.method,
      path: request.url,
      headers: { ...headers, "content-length": body.length },
    })
    origin.on("response", async (answer) => {
      await after?.()
      if (unheard) {
        answer.resume()
        return response.destroy()
      }
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...others })
      if (truncated || never) return half(answer, response, () => truncated && response.destroy())
      if (garbled) return response.end(otherwise(await buffer(answer)))
      answer.pipe(response)
      response.on("close", () => answer.resume())
    })
    origin.on("error", () => response.destroy())
    origin.end(body)
  })
  return {
    url: `http://${server.host}`,
    set(next: Weather) {
      weather = next
      met = 0
    },
    /** Returns the number of affected requests since the weather was set. */
    met: () => met,
    stop: server.stop,
  }
}

/** Sends half of a body. The headers promise the whole body, so its reader knows that the rest is missing. */
async function half(answer: IncomingMessage, response: ServerResponse, then: () => void): Promise<void> {
  const body = await buffer(answer)
  response.flushHeaders()
  response.write(body.subarray(0, Math.floor(body.length / 2)), then)
}

function otherwise(body: Buffer): Buffer {
  const last = body.length - 1
  body[last] = (body[last] ?? 0) ^ 1
  return body
}
