import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { HostPolicy } from "../../network/host-policy.ts"
import { type HostResponse, requestHost } from "../../network/host-request.ts"
import { parseJson } from "../../text/parse-json.ts"
import { withoutSlashes } from "../../text/trim.ts"

export interface ApiRequest<T> {
  method?: string
  path: string
  body?: Record<string, unknown>
  answer: z.ZodType<T>
}

/** Client for a git host's API, bound to one token. */
export type ForgeApi = ReturnType<typeof createForgeApi>

/** Time limit of a request, not counting the time to send its body. */
const WITHIN_MS = 15_000
/** Slowest supported upload speed, used to allow more time for large bodies. */
const BYTES_PER_MS = 500
/** Maximum size of the response to a request without a body. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
const MAX_REASON_CHARS = 300
const Reason = z.object({ message: z.union([z.string(), z.array(z.string())]) })

export function createForgeApi(deps: {
  apiUrl: string
  headers: Record<string, string>
  hosts: HostPolicy
  signal: AbortSignal
}) {
  const { apiUrl, headers, hosts, signal } = deps
  return {
    /**
     * Sends a request and returns the parsed answer. Returns undefined if the response's status is in `unless`. Throws
     * `repository_error` if the host refuses the request.
     */
    async ask<T>({ method = "GET", path, body, answer }: ApiRequest<T>, unless: number[] = []): Promise<T | undefined> {
      const sent = body && JSON.stringify(body)
      const withinMs = WITHIN_MS + Math.ceil((sent?.length ?? 0) / BYTES_PER_MS)
      const asked = {
        url: `${withoutSlashes(apiUrl)}${path}`,
        method,
        headers: { accept: "application/json", "content-type": "application/json", ...headers },
        body: sent,
        // Gitea's response to a push contains every file.
        maxBytes: MAX_RESPONSE_BYTES + 2 * Buffer.byteLength(sent ?? ""),
        signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
      }
      const response = await requestHost(hosts, asked).catch((error: unknown) => {
        signal.throwIfAborted()
        if (error instanceof AppError) throw error
        throw new AppError("repository_error", "The repository host's API can't be reached.", {}, { cause: error })
      })
      if (unless.includes(response.status)) return undefined
      if (response.status >= 300) throw refusal(response)
      const parsed = answer.safeParse(parseJson(response.body))
      if (parsed.success) return parsed.data
      throw new AppError("repository_error", "The repository host's API returned an unexpected response.", {
        path,
      })
    },
  }
}

function refusal({ status, headers, body }: HostResponse): AppError {
  const reason = Reason.safeParse(parseJson(body)).data?.message
  const said = reason && String(reason).slice(0, MAX_REASON_CHARS)
  const message = messageFor(status, isRateLimit(headers, said ?? ""))
  return new AppError("repository_error", said ? `${message} It said: "${said}"` : message, {
    status,
    ...(said && { said }),
  })
}

/**
 * True if a refusal means that a rate limit is used up. GitHub answers with 403 in that case too:
 * https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api.
 */
function isRateLimit(headers: HostResponse["headers"], said: string): boolean {
  return (
    headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0" || /\brate limit\b/i.test(said)
  )
}

function messageFor(status: number, isLimit: boolean): string {
  if (status === 429 || (status === 403 && isLimit))
    return "The repository's host is limiting requests. Try again in a few minutes."
  if (status === 401) return "The repository's host rejected the token. It may be wrong, expired or revoked."
  if (status === 403)
    return "The token doesn't allow that. It needs write access to contents, pull requests and commit statuses."
  if (status === 404) return "There is no such repository, or the token doesn't give access to it."
  return `The repository's host refused the request with status ${status}.`
}
