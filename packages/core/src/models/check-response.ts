import { parseJson } from "../parse-json.ts"
import { ModelError } from "./errors.ts"
import { toModelError, withoutKey } from "./provider-error.ts"

interface CheckedCall {
  provider: string
  model: string
  apiKey: string
  now?: () => number
  /** The address that answered. */
  url: string
}

/**
 * The response, with an error in the form that the SDKs read. Throws `ModelError` for a redirect, a web page, and an error
 * that comes under a status of success: an SDK would look for events in them, and find none.
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

/** An error that a server reports, as an SDK would throw it. */
export function thrownError(error: object): Error {
  return Object.assign(new Error("no reason given"), { error })
}

/** Whether a response names itself JSON, also where a stream was asked for. */
export function isJson({ headers }: Pick<Response, "headers">): boolean {
  return /^application\/json\b/i.test(headers.get("content-type") ?? "")
}

/** The failure of a response from where no model is. A redirect isn't followed: the project would go along to anybody. */
function misdirection({ ok, status, headers }: Response, { provider, apiKey, url }: CheckedCall) {
  const variable = `${provider.toUpperCase()}_BASE_URL`
  const target = status >= 300 && status < 400 && URL.parse(headers.get("location") ?? "", url || undefined)
  if (target) {
    const place = withoutKey(`${target.origin}${target.pathname}`, apiKey)
    const message = `${provider} redirects to ${place}, where nothing is sent. If its API is there, set ${variable} to that address.`
    return new ModelError("invalid_request", message, { status })
  }
  if (!ok || !headers.get("content-type")?.startsWith("text/html")) return undefined
  const message = `${provider} answered with a web page instead of a model's answer. Check its address, ${variable}.`
  return new ModelError("invalid_request", message, { status })
}

/** The response, named JSON where it is some whatever it is called: no line of a stream of events begins with a brace. */
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

/** The head of a response that names itself JSON and is none: a few proxies name every stream so. */
function asStream({ status, headers }: Response): ResponseInit {
  const named = new Headers(headers)
  named.set("content-type", "text/event-stream")
  return { status, headers: named }
}

/** The error of a body: what stands in `error`, or, from older vLLM and what is made with FastAPI, all of it. */
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
