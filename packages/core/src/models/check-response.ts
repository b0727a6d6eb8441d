import { parseJson } from "../text/parse-json.ts"
import { ModelError } from "./errors.ts"
import { toModelError, withoutKey } from "./provider-error.ts"

interface CheckedCall {
  provider: string
  model: string
  apiKey: string
  now?: () => number
  /** URL that responded. */
  url: string
}

/**
 * Returns the response, with errors in the form that SDKs read. Throws `ModelError` for a redirect, a web page, and an
 * error with a success status: an SDK would look for events in them and find none.
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

/** Makes a server's error look as if an SDK threw it. */
export function thrownError(error: object): Error {
  return Object.assign(new Error("no reason given"), { error })
}

/** True if a response is labelled as JSON, even for a stream request. */
export function isJson({ headers }: Pick<Response, "headers">): boolean {
  return /^application\/json\b/i.test(headers.get("content-type") ?? "")
}

/**
 * Returns the error of a response that isn't from a model server. Redirects aren't followed, because that would send
 * the project to an unknown host.
 */
function misdirection({ ok, status, headers }: Response, { provider, apiKey, url }: CheckedCall) {
  const variable = `${provider.toUpperCase()}_BASE_URL`
  const target = status >= 300 && status < 400 && URL.parse(headers.get("location") ?? "", url || undefined)
  if (target) {
    const place = withoutKey(`${target.origin}${target.pathname}`, apiKey)
    const message = `${provider} redirects to ${place}. Redirects are not followed. If its API is there, set ${variable} to that URL.`
    return new ModelError("invalid_request", message, { status })
  }
  if (!ok || !headers.get("content-type")?.startsWith("text/html")) return undefined
  const message = `${provider} responded with a web page instead of a model's answer. Check its URL in ${variable}.`
  return new ModelError("invalid_request", message, { status })
}

/** Labels the response as JSON if its content is JSON. A line of an event stream never begins with a brace. */
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

/** Returns the head of a response that is labelled as JSON but isn't. A few proxies label every stream so. */
function asStream({ status, headers }: Response): ResponseInit {
  const named = new Headers(headers)
  named.set("content-type", "text/event-stream")
  return { status, headers: named }
}

/** Returns the error in a body: its `error` field, or the whole body for older vLLM and FastAPI servers. */
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
