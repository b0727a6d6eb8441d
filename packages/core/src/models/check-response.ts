import { parseJson } from "../text/parse-json.ts"
import { ModelError } from "./errors.ts"
import { toModelError, withoutKey } from "./provider-error.ts"

interface CheckedCall {
  provider: string
  model: string
  apiKey: string
  now?: () => number
  /** URL that the response came from. */
  url: string
}

/**
 * Returns the response, with errors rewritten to the format that SDKs parse. Throws `ModelError` for a redirect, a web
 * page, or an error with a 2xx status, in which an SDK would only see a stream without events.
 */
export async function checkResponse(response: Response, call: CheckedCall): Promise<Response> {
  const misdirected = misdirection(response, call)
  if (misdirected) {
    await response.body?.cancel()
    throw misdirected
  }
  const found = isJson(response) ? response : await unlessDisguised(response)
  if (!isJson(found)) return found
  const text = await found.text()
  const json = parseJson(text)
  const error = reportedError(json, response)
  if (error && !response.ok) return new Response(JSON.stringify({ error }), response)
  if (error) throw toModelError(thrownError(error), { ...call, now: call.now ?? Date.now })
  return new Response(text, json === undefined && response.ok ? asStream(found) : found)
}

/** Wraps a server's error, so that it looks like an error thrown by an SDK. */
export function thrownError(error: object): Error {
  return Object.assign(new Error("no reason given"), { error })
}

/** Returns true if the content type is JSON. Some servers send JSON even for streaming requests. */
export function isJson({ headers }: Pick<Response, "headers">): boolean {
  return /^application\/json\b/i.test(headers.get("content-type") ?? "")
}

/**
 * Returns the error for a response that isn't from a model server. Redirects aren't followed, because an unknown host
 * would then receive the project's files.
 */
function misdirection({ ok, status, headers }: Response, { provider, apiKey, url }: CheckedCall) {
  const variable = `${provider.toUpperCase()}_BASE_URL`
  const target = status >= 300 && status < 400 && URL.parse(headers.get("location") ?? "", url || undefined)
  if (target) {
    const place = withoutKey(`${target.origin}${target.pathname}`, apiKey)
    const message = `${provider} redirects to ${place}. Redirects aren't followed. If the API has moved there, set ${variable} to that URL.`
    return new ModelError("invalid_request", message, { status })
  }
  if (!ok || !headers.get("content-type")?.startsWith("text/html")) return undefined
  const message = `${provider} responded with a web page instead of a model answer. Check the URL in ${variable}.`
  return new ModelError("invalid_request", message, { status })
}

/** Changes the content type to JSON if the body is JSON. A line of an event stream never begins with a brace. */
async function unlessDisguised(response: Response): Promise<Response> {
  if (!response.body) return response
  const reader = response.body.getReader()
  const first = await reader.read()
  const isDisguised = /^\s*\{/.test(new TextDecoder().decode(first.value))
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => (first.done ? controller.close() : controller.enqueue(first.value)),
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  const headers = new Headers(response.headers)
  if (isDisguised) headers.set("content-type", "application/json")
  const { status, statusText } = response
  return new Response(body, { status, statusText, headers })
}

/** Returns the init of a response with an event stream's content type. A few proxies label all streams as JSON. */
function asStream({ status, headers }: Response): ResponseInit {
  const named = new Headers(headers)
  named.set("content-type", "text/event-stream")
  return { status, headers: named }
}

/** Returns the error in a body: its `error` field, or the whole body from older vLLM and FastAPI servers. */
function reportedError(body: unknown, { ok }: Pick<Response, "ok">): object | undefined {
  if (!isObject(body)) return undefined
  const { error, object, message, detail } = body
  if (isObject(error)) return error
  if (typeof error === "string" && error !== "") return { message: error }
  return ok && object !== "error" ? undefined : { ...body, message: message ?? detail }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
