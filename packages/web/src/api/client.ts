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

export interface Asked {
  /** Makes a request that is sent twice count once. */
  idempotencyKey?: string
  signal?: AbortSignal
  body?: unknown
}

export interface Api {
  url(path: string): string
  get<T>(path: string, schema: Expected<T>, options?: { signal?: AbortSignal }): Promise<T>
  send<T>(method: "POST" | "PUT" | "DELETE", path: string, schema: Expected<T>, asked?: Asked): Promise<T>
  /** The text of an answer that isn't JSON. */
  text(path: string, options?: { signal?: AbortSignal }): Promise<string>
}

/** The API, with what it wants to know of this browser. Every failure is an ApiError with a sentence for people. */
export function createApi(deps: ApiDeps): Api {
  async function ask(method: string, path: string, { body, signal, idempotencyKey }: Asked): Promise<Response> {
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
    url: (path) => deps.base + path,
    get: async (path, schema, options = {}) => parsed(await ask("GET", path, options), schema),
    send: async (method, path, schema, asked = {}) => parsed(await ask(method, path, asked), schema),
    text: async (path, options = {}) => (await ask("GET", path, options)).text(),
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
