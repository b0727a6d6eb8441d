import type { Operations } from "@switchyard/client/operations"
import type { Api } from "../../api/client.ts"
import { anything, list, number, object, type Read } from "../../api/shape.ts"
import { isSpine, type StudioEvent, spineTypes, toEvent } from "./event.ts"
import type { Stretch } from "./stretches.ts"

/** So many of the newest events are there at once, and so many more each time that somebody goes further back. */
const STRETCH = 500
/** The most that the server tells in one page. */
const SPINE_PAGE = 1000

const Page = object({
  events: list(anything),
  from_seq: number,
  to_seq: number,
  first_seq: number,
  latest_seq: number,
})
interface EventPage extends Read<typeof Page> {
  events: StudioEvent[]
}

type Range = Operations["GET /api/v1/sessions/{id}/events"]["query"]

interface Opening {
  newest: Stretch
  /** Every event up to the newest on which a view depends. */
  spine: StudioEvent[]
  firstSeq: number
}

interface OpeningOptions {
  onProgress(loaded: number, total: number): void
  signal: AbortSignal
}

/** A session's log, a page at a time. */
export function createPages(api: Api, sessionId: string) {
  const ask = async (query: Range, { signal }: { signal?: AbortSignal } = {}): Promise<EventPage> => {
    const path = { id: sessionId }
    const page = await api.call("GET /api/v1/sessions/{id}/events", { path, query, answer: Page, signal })
    return { ...page, events: page.events.map(toEvent) }
  }
  const spineAfter = (seq: number, options: { signal: AbortSignal }) =>
    ask({ since_seq: seq, limit: SPINE_PAGE, event_types: spineTypes.join() }, options)

  return {
    /** Reads the end of the log and its spine side by side: a log of up to ten thousand events is one round trip away. */
    opening: async ({ signal, onProgress }: OpeningOptions): Promise<Opening> => {
      const short = new AbortController()
      const spineSignal = AbortSignal.any([signal, short.signal])
      const firstOfSpine = spineAfter(0, { signal: spineSignal })
      firstOfSpine.catch(() => undefined)
      const end = await ask({ tail: STRETCH }, { signal })
      const newest = stretchOf(end)
      const firstSeq = end.first_seq
      if (end.from_seq <= firstSeq) {
        short.abort()
        return { newest, spine: end.events.filter(isSpine), firstSeq }
      }
      const spine: StudioEvent[] = []
      for (let page = await firstOfSpine; ; page = await spineAfter(page.to_seq, { signal: spineSignal })) {
        for (const event of page.events) if (event.seq <= newest.to) spine.push(event)
        if (page.to_seq >= newest.to) return { newest, spine, firstSeq }
        onProgress(page.to_seq, newest.to)
      }
    },

    /** The last events before one. */
    before: async (seq: number): Promise<Stretch> => stretchOf(await ask({ before_seq: seq, limit: STRETCH })),
  }
}

function stretchOf({ events, from_seq: from, to_seq: to }: EventPage): Stretch {
  return { from, to, events }
}
