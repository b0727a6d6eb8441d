import type { LookupFunction } from "node:net"
import { AppError } from "../../errors.ts"
import type { HostPolicy } from "../../network/host-policy.ts"
import { sendRequest } from "../../network/host-request.ts"

/** A page as sent by its server. */
export interface FetchedPage {
  /** URL after all redirects. */
  url: string
  mediaType: string
  text: string
}

/** Fetches the page at a URL. Throws an `AppError` that doesn't reveal anything about forbidden hosts. */
export type FetchPage = (url: string, options: { signal: AbortSignal }) => Promise<FetchedPage>

/** Sends one request without following redirects. Connects only to IP addresses that `lookup` has checked. */
export type Ask = (
  url: URL,
  options: { lookup: LookupFunction | undefined; signal: AbortSignal },
) => Promise<{ status: number; headers: Record<string, string | undefined>; body: AsyncIterable<Uint8Array> }>

const MAX_BYTES = 5 * 1024 * 1024
const WITHIN_MS = 30_000
const MAX_REDIRECTS = 5

/**
 * Creates a client for untrusted URLs. It allows only http and https, sends no credentials, and checks the host and its
 * IP address again on each redirect. It reads only text, up to 5 MB, within 30 seconds.
 */
export function createFetchPage({ hosts, ask = askOnce }: { hosts: HostPolicy; ask?: Ask }): FetchPage {
  return async (named, { signal }) => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)])
    try {
      let url = addressOf(named)
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        await hosts.check(url.hostname, { signal: within })
        const answer = await ask(url, { lookup: hosts.lookupFor(url.hostname), signal: within })
        const { location } = answer.headers
        if (answer.status < 300 || answer.status > 399 || location === undefined) return await pageOf(url, answer)
        url = addressOf(location, url)
      }
      throw unusable("It redirects too many times.")
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AppError) throw error
      if (within.aborted) throw unusable("The server didn't respond in time.")
      throw unusable("The server couldn't be reached.")
    }
  }
}

/** Parses the URL of a page. Throws if the URL has another protocol, or contains a user name or password. */
function addressOf(named: string, base?: URL): URL {
  const url = URL.parse(named, base)
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw unusable("Only http and https are supported.")
  if (url.username !== "" || url.password !== "") throw unusable("URLs with credentials aren't supported.")
  return url
}

async function pageOf(url: URL, { status, headers, body }: Awaited<ReturnType<Ask>>): Promise<FetchedPage> {
  if (status < 200 || status > 299) throw unusable(`The server responded with status ${status}.`)
  const [mediaType = ""] = (headers["content-type"] ?? "text/plain").toLowerCase().split(";")
  if (!isText(mediaType.trim())) throw unusable("The page isn't text.")
  if (!["", "identity"].includes(headers["content-encoding"] ?? ""))
    throw unusable("The page's encoding isn't supported.")
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw unusable("The page is larger than 5 MB.")
    chunks.push(chunk)
  }
  return { url: url.href, mediaType: mediaType.trim(), text: Buffer.concat(chunks).toString("utf8") }
}

function isText(mediaType: string): boolean {
  return /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$/.test(mediaType)
}

function unusable(reason: string): AppError {
  return new AppError("invalid_request", `Can't fetch this URL. ${reason}`)
}

const HEADERS = { "user-agent": "Switchyard", accept: "text/*, application/json", "accept-encoding": "identity" }

const askOnce: Ask = async (url, options) => {
  const response = await sendRequest(url, { headers: HEADERS, ...options })
  const { location, "content-type": type, "content-encoding": encoding } = response.headers
  const headers = { location, "content-type": type, "content-encoding": encoding }
  return { status: response.statusCode ?? 0, headers, body: response }
}
