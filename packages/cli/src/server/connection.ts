import { formOf } from "@switchyard/client/form"
import { RELEASE, RELEASE_HEADER, worksWith } from "@switchyard/core/release"
import { parseJson } from "@switchyard/core/text/parse-json"
import * as z from "zod"
import { CliError, Refused, Unreachable } from "../errors/errors.ts"

export type Connection = ReturnType<typeof createConnection>

export interface ServerRequest {
  /** Path relative to the server's root. */
  path: string
  method?: string
  body?: unknown
  headers?: Record<string, string>
  signal: AbortSignal
}

interface ConnectionDeps {
  url: URL
  token?: string
  apiKey?: string
}

const Envelope = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() }),
})

// HTTP statuses of temporary failures, which are retried.
const PASSING = [408, 429, 503]

export function createConnection({ url, token, apiKey }: ConnectionDeps) {
  const own = {
    [RELEASE_HEADER]: RELEASE,
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(apiKey ? { "x-api-key": apiKey } : {}),
  }
  const base = new URL(url.href.endsWith("/") ? url.href : `${url.href}/`)
  /** Resolves a link from the server to a full URL. */
  const resolve = (link: string): URL => new URL(link, base)

  return {
    resolve,

    /**
     * Sends one request, without retries. Returns the response if its status is 2xx. Otherwise, throws `Refused` or
     * `Unreachable`. Also throws `Refused` if the server is of a release that this command doesn't understand.
     */
    async send({ path, method = "GET", body, headers = {}, signal }: ServerRequest): Promise<Response> {
      const form = formOf(body)
      const response = await request(resolve(path.replace(/^\//, "")), {
        method,
        // Don't follow redirects, because they could send the key to another host.
        redirect: "manual",
        headers: { ...own, ...(body && !form ? { "content-type": "application/json" } : {}), ...headers },
        body: form ?? (body ? JSON.stringify(body) : null),
        signal,
      })
      await requireSameRelease(response, url)
      if (response.ok) return response
      throw await refusalOf(response, { signal })
    },
  }
}

/** Throws if the server names a release that may send or expect other fields. */
async function requireSameRelease({ headers, status, body }: Response, server: URL): Promise<void> {
  const release = headers.get(RELEASE_HEADER)
  if (release === null || worksWith(RELEASE, release)) return
  await body?.cancel()
  const message = `The server at ${server.origin} is Switchyard ${release}, and this command is ${RELEASE}. Install switchyard-cli ${release}.`
  throw new Refused(status, "release_mismatch", message)
}

/** Fetches a URL. Converts network failures to `Unreachable`, but not aborts. */
export async function request(url: URL, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
  return orUnreachable(() => fetch(url, init), `${url.origin} can't be reached`, init)
}

/**
 * Runs a task that reads from the network. Converts failures to `Unreachable`, except for a rejection by the server.
 */
export async function orUnreachable<T>(
  task: () => Promise<T>,
  message: string,
  { signal }: { signal: AbortSignal },
): Promise<T> {
  try {
    return await task()
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof CliError) throw error
    throw new Unreachable(`${message} (${reasonOf(error)}).`, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message
}

async function refusalOf(response: Response, { signal }: { signal: AbortSignal }): Promise<Refused | Unreachable> {
  const { status } = response
  const location = response.headers.get("location")
  const text = await orUnreachable(() => response.text(), "The response was incomplete", { signal })
  if (location)
    return new Refused(status, "redirected", `The server redirects to ${location}. Use that URL with --url.`)

  const error = Envelope.safeParse(parseJson(text)).data?.error
  if (!error || PASSING.includes(status)) {
    const said = error?.message ?? `The response with status ${status} isn't from a Switchyard server.`
    return new Unreachable(said, { retryAfterMs: retryAfterMs(response) })
  }
  const hint = hintOf(error)
  return new Refused(status, error.code, `${error.message}${hint}`)
}

const MissingKey = z.object({ missing: z.literal("api_key") })
const WrongFields = z.object({ errors: z.array(z.object({ field: z.string(), message: z.string() })) })

function hintOf({ code, details }: { code: string; details?: unknown }): string {
  if (code === "unauthorized") return " See --token."
  if (MissingKey.safeParse(details).success) return " See --api-key."
  const { errors = [] } = WrongFields.safeParse(details).data ?? {}
  return errors
    .map(({ field, message }) => ` ${field === "" ? "" : `${field}: `}${message.replace(/\.$/, "")}.`)
    .join("")
}

function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get("retry-after") ?? 0)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 30) * 1000 : 0
}
