import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { HostRequest, HostResponse } from "../../network/host-request.ts"
import { parseJson } from "../../text/parse-json.ts"

/** A page in a search result, with its excerpt. */
export interface FoundPage {
  title: string
  url: string
  text: string
}

/** Result of a search by a service that charges a fee. */
interface WebFinds {
  service: keyof SearchKeys
  pages: FoundPage[]
}

/** Searches the web. If it fails, throws an `AppError` that doesn't contain the key. */
export type SearchWeb = (query: string, options: { signal: AbortSignal }) => Promise<WebFinds>

export interface SearchKeys {
  brave?: string
  serper?: string
}

/** Sends a request to a public host. */
export type AskHost = (request: HostRequest) => Promise<HostResponse>

const RESULTS = 5

/**
 * Creates a search function for the first service that has a key: Brave, then Serper. Undefined if neither has a key.
 */
export function createSearchWeb(keys: SearchKeys, askHost: AskHost): SearchWeb | undefined {
  for (const service of ["brave", "serper"] as const) {
    const key = keys[service]
    if (!key) continue
    const search = SEARCHES[service]
    return async (query, options) => ({ service, pages: await search(query, { ...options, askHost, key }) })
  }
  return undefined
}

const SEARCHES = { brave: searchBrave, serper: searchSerper }

interface Asking {
  askHost: AskHost
  key: string
  signal: AbortSignal
}

const BravePages = z.object({
  web: z
    .object({ results: z.array(z.object({ title: z.string(), url: z.string(), description: z.string().default("") })) })
    .optional(),
})

/**
 * Searches with Brave, which accepts queries of up to 400 characters:
 * https://api-dashboard.search.brave.com/documentation
 */
async function searchBrave(query: string, { askHost, key, signal }: Asking): Promise<FoundPage[]> {
  const asked = new URLSearchParams({ q: query.slice(0, 400), count: String(RESULTS), text_decorations: "false" })
  const url = `https://api.search.brave.com/res/v1/web/search?${asked}`
  const headers = { accept: "application/json", "x-subscription-token": key }
  const { web } = await answerOf("Brave", askHost({ url, headers, signal }), BravePages, signal)
  return (web?.results ?? []).slice(0, RESULTS).map(({ title, url, description: text }) => ({ title, url, text }))
}

const SerperPages = z.object({
  organic: z.array(z.object({ title: z.string(), link: z.string(), snippet: z.string().default("") })).default([]),
})

async function searchSerper(query: string, { askHost, key, signal }: Asking): Promise<FoundPage[]> {
  const headers = { "content-type": "application/json", "x-api-key": key }
  const body = JSON.stringify({ q: query, num: RESULTS })
  const sent = askHost({ url: "https://google.serper.dev/search", method: "POST", headers, body, signal })
  const { organic } = await answerOf("Serper", sent, SerperPages, signal)
  return organic.slice(0, RESULTS).map(({ title, link: url, snippet: text }) => ({ title, url, text }))
}

async function answerOf<Answer extends z.ZodType>(
  name: string,
  sent: Promise<HostResponse>,
  schema: Answer,
  signal: AbortSignal,
): Promise<z.infer<Answer>> {
  const response = await sent.catch((error) => {
    signal.throwIfAborted()
    throw failed(`${name} couldn't be reached.`, error)
  })
  if (response.status !== 200) throw failed(`${name} responded with status ${response.status}.`)
  const parsed = schema.safeParse(parseJson(response.body))
  if (!parsed.success) throw failed(`${name} sent an invalid response.`)
  return parsed.data
}

/** Reports a failed search as a mistake by the model, so that the model can continue without the search. */
function failed(reason: string, cause?: unknown): AppError {
  return new AppError("validation_error", `Web search is currently unavailable: ${reason}`, {}, { cause })
}
