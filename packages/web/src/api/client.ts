import { formOf } from "@switchyard/client/form"
import type { Operation } from "@switchyard/client/operations"
import { locate, type Reads, type RequestOf, type UrlParameters } from "@switchyard/client/request"
import type { Decoder } from "./decode.ts"

/**
 * Decoder for a response, or one of core's schemas. A function loads the schema on first use, so that screens don't
 * wait for the schema library.
 */
export type Expected<T> = Decoder<T> | (() => Promise<Decoder<T>>)

/** A failed request. `status` is 0 if there was no response. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Record<string, unknown>

  constructor(status: number, code: string, message: string, details: Record<string, unknown> = {}) {
    super(message)
    this.name = "ApiError"
    this.status = status
    this.code = code
    this.details = details
  }
}

export interface ApiDeps {
  /** Base URL of the API; empty if it is the studio's own origin. */
  base: string
  fetch: typeof fetch
  csrfToken(): string | null
  /** Called when a request needs a login. */
  onUnauthorized(): void
  /** Called when a request needs the user's own model key, for this provider if known. */
  onKeyMissing(provider: string | null): void
}

/** A request to an operation in the API description, with the decoder for its response. */
export type Call<O extends Operation, T> = RequestOf<O> & {
  response: Expected<T> & Reads<O, T>
  /** If the request is repeated with the same key, the server executes it only once. */
  idempotencyKey?: string
  /** Key for the provider that this request is about. Only such requests have one. */
  modelKey?: string | null
  signal?: AbortSignal
}

export interface Api {
  call<O extends Operation, T>(operation: O, call: Call<O, T>): Promise<T>
  /** Requests a link from an earlier response. */
  follow<T>(link: string, expected: Expected<T>, options?: { signal?: AbortSignal }): Promise<T>
  /** Returns the text of a response that isn't JSON. */
  text<O extends Operation>(operation: O, request: UrlParameters<O> & { signal?: AbortSignal }): Promise<string>
  url<O extends Operation>(operation: O, parameters: UrlParameters<O>): string
  /** Returns the URL of the API documentation, for people or for programs. */
  page(path: "/api/docs" | "/openapi.json"): string
}

interface OutgoingRequest {
  method: string
  path: string
  body?: unknown
  idempotencyKey?: string
  modelKey?: string | null
  signal?: AbortSignal
}

/** Creates the API client. Every failure is an ApiError whose message can be shown to people. */
export function createApi(deps: ApiDeps): Api {
  async function send({ method, path, body, signal, idempotencyKey, modelKey }: OutgoingRequest): Promise<Response> {
    const headers = new Headers()
    const key = modelKey ?? (isOfWorkspace(path) ? ANY_KEY : null)
    const csrf = deps.csrfToken()
    const form = formOf(body)
    // The content type of a form includes its boundary, which only the browser knows.
    if (body !== undefined && !form) headers.set("content-type", "application/json")
    if (key) headers.set("x-api-key", key)
    if (idempotencyKey) headers.set("idempotency-key", idempotencyKey)
    if (csrf && method !== "GET") headers.set("x-csrf-token", csrf)
    const request = { method, headers, signal, body: form ?? (body === undefined ? undefined : JSON.stringify(body)) }
    const response = await deps.fetch(deps.base + path, request).catch((error: unknown) => {
      if (signal?.aborted) throw signal.reason
      throw new ApiError(0, "unreachable", `The server at ${deps.base || location.origin} can't be reached.`, {
        reason: String(error),
      })
    })
    if (response.ok) return response
    const error = await errorOf(response)
    if (error.code === "unauthorized") deps.onUnauthorized()
    if (wantsKey(error)) deps.onKeyMissing(typeof error.details.provider === "string" ? error.details.provider : null)
    throw error
  }

  async function decode<T>(response: Response, expected: Expected<T>): Promise<T> {
    const sent: unknown = response.status === 204 ? undefined : await response.json().catch(() => undefined)
    const schema = typeof expected === "function" ? await expected() : expected
    try {
      return schema.parse(sent)
    } catch (cause) {
      const message = "The studio couldn't read the server's response."
      throw new ApiError(response.status, "unexpected_response", message, { reason: String(cause) })
    }
  }

  return {
    call: async (operation, call) => {
      const { response: expected, body, signal, idempotencyKey, modelKey } = call
      return decode(await send({ ...locate(operation, call), body, signal, idempotencyKey, modelKey }), expected)
    },
    follow: async (path, expected, { signal } = {}) => decode(await send({ method: "GET", path, signal }), expected),
    text: async (operation, request) => (await send({ ...locate(operation, request), signal: request.signal })).text(),
    url: (operation, parameters) => deps.base + locate(operation, parameters).path,
    page: (path) => deps.base + path,
  }
}

/**
 * A server without login may require that requests for files have a key, but accepts any value. So no real key is sent.
 * The server may have the user's keys anyway.
 */
const ANY_KEY = "no-key-needed"

function isOfWorkspace(path: string): boolean {
  return path.split("/")[1] === "workspace"
}

/** Returns true if a request was refused because the server has no key for the model. */
export function wantsKey(error: unknown): boolean {
  return error instanceof ApiError && error.details.missing === "api_key"
}

/** Returns true if a request was refused because the user must first consent to something running. */
export function needsConsent(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "consent_required"
}

async function errorOf(response: Response): Promise<ApiError> {
  const sent: unknown = await response.json().catch(() => undefined)
  const { code, message, details } = errorIn(sent)
  if (typeof code === "string" && typeof message === "string") {
    const known = (details ?? {}) as Record<string, unknown>
    return new ApiError(response.status, code, message + faultsIn(known), known)
  }
  return new ApiError(response.status, "unexpected_response", `The server responded with status ${response.status}.`)
}

/** Returns the invalid fields and what is wrong with each, to append to the message. */
function faultsIn({ errors }: Record<string, unknown>): string {
  if (!Array.isArray(errors)) return ""
  return errors.map(({ field, message }) => ` ${field}: ${message}`).join("")
}

function errorIn(sent: unknown): Record<string, unknown> {
  const error = typeof sent === "object" && sent !== null && "error" in sent ? sent.error : null
  return typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {}
}
