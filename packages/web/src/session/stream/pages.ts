import type { Operations } from "@switchyard/client/operations"
import type { Api } from "../../api/client.ts"
import { anything, type Decoded, list, number, object } from "../../api/decode.ts"
import { isStructural, type StudioEvent, structuralTypes, toEvent } from "./event.ts"
import type { Segment } from "./segments.ts"
import type { LoadedLog } from "./session-data.ts"

/** Number of latest events loaded at first, and of events loaded with each step back. */
const SEGMENT_EVENTS = 500
/** Maximum that the server sends per page. */
const STRUCTURAL_EVENTS = 1000

const STRUCTURAL = { limit: STRUCTURAL_EVENTS, event_types: structuralTypes.join() }
const END = { tail: SEGMENT_EVENTS }
/** Returns the queries that open a log, as written in URLs. The page sends them before this code is loaded. */
export function openingQueries(): string[] {
  const queries = [END, { since_seq: 0, ...STRUCTURAL }]
  return queries.map((query) =>
    new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString(),
  )
}

const Page = object({
  events: list(anything),
  from_seq: number,
  to_seq: number,
  first_seq: number,
  latest_seq: number,
})
interface EventPage extends Decoded<typeof Page> {
  events: StudioEvent[]
}

type Range = Operations["GET /api/v1/sessions/{id}/events"]["query"]

interface OpeningOptions {
  onProgress(loaded: number, total: number): void
  signal: AbortSignal
}

/** Loads a session's log one page at a time. */
export function createPages(api: Api, sessionId: string) {
  const load = async (query: Range, { signal }: { signal?: AbortSignal } = {}): Promise<EventPage> => {
    const path = { id: sessionId }
    const page = await api.call("GET /api/v1/sessions/{id}/events", { path, query, response: Page, signal })
    return { ...page, events: page.events.map(toEvent) }
  }
  const structuralAfter = (seq: number, options: { signal: AbortSignal }) =>
    load({ since_seq: seq, ...STRUCTURAL }, options)

  return {
    /**
     * Loads the end of the log and its structural events in parallel: a single round trip for logs of up to ten
     * thousand events.
     */
    opening: async ({ signal, onProgress }: OpeningOptions): Promise<LoadedLog> => {
      const short = new AbortController()
      const structuralSignal = AbortSignal.any([signal, short.signal])
      const firstPage = structuralAfter(0, { signal: structuralSignal })
      firstPage.catch(() => undefined)
      const end = await load(END, { signal })
      const newest = segmentOf(end)
      const firstSeq = end.first_seq
      if (end.from_seq <= firstSeq) {
        short.abort()
        return { newest, structural: end.events.filter(isStructural), firstSeq }
      }
      const structural: StudioEvent[] = []
      for (let page = await firstPage; ; page = await structuralAfter(page.to_seq, { signal: structuralSignal })) {
        for (const event of page.events) if (event.seq <= newest.to) structural.push(event)
        if (page.to_seq >= newest.to) return { newest, structural, firstSeq }
        onProgress(page.to_seq, newest.to)
      }
    },

    /** Loads the last events before this one. */
    before: async (seq: number): Promise<Segment> => segmentOf(await load({ before_seq: seq, limit: SEGMENT_EVENTS })),
  }
}

function segmentOf({ events, from_seq: from, to_seq: to }: EventPage): Segment {
  return { from, to, events }
}
