import type { LookupFunction } from "node:net"
import { AppError } from "../../errors.ts"
import type { HostPolicy } from "../../host-policy.ts"
import { sendRequest } from "../../host-request.ts"

/** A page as its server sent it. */
export interface FetchedPage {
  /** The address after all redirects. */
  url: string
  mediaType: string
  text: string
}

/** Fetches a page that somebody named. Throws an `AppError` whose words say nothing of a host that may not be reached. */
export type FetchPage = (url: string, options: { signal: AbortSignal }) => Promise<FetchedPage>

/** One request, without following where it leads. Its connection goes to an address that `lookup` has checked. */
export type Ask = (
  url: URL,
  options: { lookup: LookupFunction | undefined; signal: AbortSignal },
) => Promise<{ status: number; headers: Record<string, string | undefined>; body: AsyncIterable<Uint8Array> }>

const MAX_BYTES = 5 * 1024 * 1024
const WITHIN_MS = 30_000
const MAX_REDIRECTS = 5

/**
 * A client for addresses of strangers: only http and https, only hosts that the policy allows, at every redirect anew and by
 * the address that was checked; only texts, of 5 MB at most, within 30 seconds. It sends nothing of ours along.
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

/** Throws for what is no address of a page: other protocols, and names or passwords in it. */
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
  if (!isText(mediaType.trim())) throw unusable("It is no text.")
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
