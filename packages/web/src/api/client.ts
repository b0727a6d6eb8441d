import type { Operation } from "@switchyard/client/operations"
import { locate, type Place, type Reads, type RequestOf } from "@switchyard/client/request"
import type { Shape } from "./shape.ts"

/**
 * What an answer has to be: a shape, or a schema of core's. A function fetches the schema when it is first needed, so that
 * no screen waits for the library of schemas.
 */
export type Expected<T> = Shape<T> | (() => Promise<Shape<T>>)

/** What the server, or the way to it, has against a request. `status` 0: there was no answer at all. */
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
  /** Where the API is; empty where the studio is. */
  base: string
  fetch: typeof fetch
  /** The key of a model's provider that this browser keeps, if it does. */
  modelKey(): string | null
  csrfToken(): string | null
  /** Somebody has to log in before anything else. */
  onUnauthorized(): void
  /** What was asked for can't be done without a model's key of whoever asks. */
  onKeyMissing(): void
}

/** A request as the API's description has it, and what its answer has to be. */
export type Call<O extends Operation, T> = RequestOf<O> & {
  answer: Expected<T> & Reads<O, T>
  /** Makes a request that is sent twice count once. */
  idempotencyKey?: string
  signal?: AbortSignal
}

export interface Api {
  call<O extends Operation, T>(operation: O, call: Call<O, T>): Promise<T>
  /** The answer behind a link that an earlier answer named. */
  follow<T>(link: string, answer: Expected<T>, options?: { signal?: AbortSignal }): Promise<T>
  /** The text of an answer that isn't JSON. */
  text<O extends Operation>(operation: O, request: Place<O> & { signal?: AbortSignal }): Promise<string>
  url<O extends Operation>(operation: O, place: Place<O>): string
  /** The address of a page for people, or of the description for programs. */
  page(path: "/api/docs" | "/openapi.json"): string
}

interface Sent {
  method: string
  path: string
  body?: unknown
  idempotencyKey?: string
  signal?: AbortSignal
}

/** The API, with what it wants to know of this browser. Every failure is an ApiError with a sentence for people. */
export function createApi(deps: ApiDeps): Api {
  async function send({ method, path, body, signal, idempotencyKey }: Sent): Promise<Response> {
    const headers = new Headers()
    const key = deps.modelKey()
    const csrf = deps.csrfToken()
    if (body !== undefined) headers.set("content-type", "application/json")
    if (key) headers.set("x-api-key", key)
    if (idempotencyKey) headers.set("idempotency-key", idempotencyKey)
    if (csrf && method !== "GET") headers.set("x-csrf-token", csrf)
    const request = { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) }
    const answer = await deps.fetch(deps.base + path, request).catch((error: unknown) => {
      if (signal?.aborted) throw signal.reason
      throw new ApiError(0, "unreachable", `The server at ${deps.base || location.origin} can't be reached.`, {
        reason: String(error),
      })
    })
    if (answer.ok) return answer
    const error = await errorOf(answer)
    if (error.code === "unauthorized") deps.onUnauthorized()
    if (wantsKey(error)) deps.onKeyMissing()
    throw error
  }

  async function parsed<T>(answer: Response, expected: Expected<T>): Promise<T> {
    const sent: unknown = answer.status === 204 ? undefined : await answer.json().catch(() => undefined)
    const schema = typeof expected === "function" ? await expected() : expected
    try {
      return schema.parse(sent)
    } catch (cause) {
      const message = "The server answered something that this studio can't read."
      throw new ApiError(answer.status, "unexpected_answer", message, { reason: String(cause) })
    }
  }

  return {
    call: async (operation, call) => {
      const { answer, body, signal, idempotencyKey } = call
      return parsed(await send({ ...locate(operation, call), body, signal, idempotencyKey }), answer)
    },
    follow: async (path, answer, { signal } = {}) => parsed(await send({ method: "GET", path, signal }), answer),
    text: async (operation, request) => {
      return (await send({ ...locate(operation, request), signal: request.signal })).text()
    },
    url: (operation, place) => deps.base + locate(operation, place).path,
    page: (path) => deps.base + path,
  }
}

/** Whether something was refused because nobody gave the server a key for the model. */
export function wantsKey(error: unknown): boolean {
  return error instanceof ApiError && (error.details.missing === "api_key" || error.code === "workspace_unauthorized")
}

async function errorOf(answer: Response): Promise<ApiError> {
  const sent: unknown = await answer.json().catch(() => undefined)
  const { code, message, details } = errorIn(sent)
  if (typeof code === "string" && typeof message === "string") {
    return new ApiError(answer.status, code, message, (details ?? {}) as Record<string, unknown>)
  }
  return new ApiError(answer.status, "unexpected_answer", `The server answered ${answer.status}.`)
}

function errorIn(sent: unknown): Record<string, unknown> {
  const error = typeof sent === "object" && sent !== null && "error" in sent ? sent.error : null
  return typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {}
}
