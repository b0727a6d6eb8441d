import type { LookupFunction } from "node:net"
import { AppError } from "../../errors.ts"
import type { HostPolicy } from "../../network/host-policy.ts"
import { sendRequest } from "../../network/host-request.ts"

/** A page as its server sent it. */
export interface FetchedPage {
  /** Address after all redirects. */
  url: string
  mediaType: string
  text: string
}

/** Fetches a page at any address. Throws an `AppError` that reveals nothing about forbidden hosts. */
export type FetchPage = (url: string, options: { signal: AbortSignal }) => Promise<FetchedPage>

/** Sends one request without following redirects. Connects to an address that `lookup` has checked. */
export type Ask = (
  url: URL,
  options: { lookup: LookupFunction | undefined; signal: AbortSignal },
) => Promise<{ status: number; headers: Record<string, string | undefined>; body: AsyncIterable<Uint8Array> }>

const MAX_BYTES = 5 * 1024 * 1024
const WITHIN_MS = 30_000
const MAX_REDIRECTS = 5

/**
 * Creates a client for untrusted addresses. It allows only http and https, checks the host and its address again at
 * each redirect, reads only text of up to 5 MB within 30 seconds, and sends no credentials.
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
      throw unusable("It redirects too often.")
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AppError) throw error
      if (within.aborted) throw unusable("It didn't answer in time.")
      throw unusable("It couldn't be reached.")
    }
  }
}

/** Parses the address of a page. Throws for other protocols, and for user names or passwords. */
function addressOf(named: string, base?: URL): URL {
  const url = URL.parse(named, base)
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw unusable("Only http and https can be fetched.")
  if (url.username !== "" || url.password !== "") throw unusable("An address with a password is not fetched.")
  return url
}

async function pageOf(url: URL, { status, headers, body }: Awaited<ReturnType<Ask>>): Promise<FetchedPage> {
  if (status < 200 || status > 299) throw unusable(`It answered with status ${status}.`)
  const [mediaType = ""] = (headers["content-type"] ?? "text/plain").toLowerCase().split(";")
  if (!isText(mediaType.trim())) throw unusable("It is not text.")
  if (!["", "identity"].includes(headers["content-encoding"] ?? "")) throw unusable("Its encoding can't be read.")
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw unusable("It is larger than 5 MB.")
    chunks.push(chunk)
  }
  return { url: url.href, mediaType: mediaType.trim(), text: Buffer.concat(chunks).toString("utf8") }
}

function isText(mediaType: string): boolean {
  return /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$/.test(mediaType)
}

function unusable(reason: string): AppError {
  return new AppError("invalid_request", `The address can't be used. ${reason}`)
}

const HEADERS = { "user-agent": "Switchyard", accept: "text/*, application/json", "accept-encoding": "identity" }

const askOnce: Ask = async (url, options) => {
  const response = await sendRequest(url, { headers: HEADERS, ...options })
  const { location, "content-type": type, "content-encoding": encoding } = response.headers
  const headers = { location, "content-type": type, "content-encoding": encoding }
  return { status: response.statusCode ?? 0, headers, body: response }
}
