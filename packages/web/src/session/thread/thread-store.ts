import { createStore, type StoreApi } from "zustand/vanilla"
import { errorText } from "../../ui/error-text.ts"
import type { StudioEvent } from "../stream/event.ts"
import { countUpTo } from "../stream/keyframes.ts"
import type { SessionData } from "../stream/session-data.ts"
import type { SessionStore } from "../stream/session-store.ts"
import { reduceThread, type Thread } from "../stream/thread.ts"
import { pageEvents, ThreadPage } from "./page-events.ts"

/** The loaded part of the conversation with one agent. */
export interface ThreadData {
  /** At the moment shown; null until it is loaded. */
  thread: Thread | null
  hasEarlier: boolean
  loading: boolean
  error: string | null
}

export interface ThreadStore {
  store: StoreApi<ThreadData>
  /** Loads earlier messages, if there are more and nothing is being loaded. */
  loadEarlier(): void
  /** Keeps the conversation in step with the session until the signal aborts. */
  follow(options: { signal: AbortSignal }): void
}

const PAGE_MESSAGES = 60
/** If a conversation is followed for long, its beginning is dropped. It can be loaded again. */
const MOST_EVENTS = 2000
const KEPT_EVENTS = 1000

/**
 * Creates the store of the conversation with an agent: pages of earlier messages, and the session's events as they
 * arrive.
 */
export function createThreadStore(session: SessionStore, agentId: string): ThreadStore {
  const store = createStore<ThreadData>(() => ({ thread: null, hasEarlier: false, loading: false, error: null }))
  /** The agent's events in order, without gaps from the first one on. */
  let events: StudioEvent[] = []
  /** Cursor for the previous page; null if there is none. */
  let before: number | null = null
  /** Last event of the session that was processed. */
  let cursor = 0
  /** The log that all of this belongs to. */
  let log: SessionData["structural"] | null = null
  /** The log for which loading failed. It is retried only on request. */
  let failed: SessionData["structural"] | null = null

  const isOwn = (event: StudioEvent) => (event.agent_id ?? "main") === agentId && isOfThread(event)

  async function load(from: number | null): Promise<void> {
    const data = session.store.getState()
    const { structural } = data
    store.setState({ loading: true, error: null })
    try {
      const query = { limit: PAGE_MESSAGES, ...(from !== null && { before: from }) }
      const path = { id: session.sessionId, agent: agentId }
      const page = await session.api.call("GET /api/v1/sessions/{id}/agents/{agent}/messages", {
        path,
        query,
        response: ThreadPage,
      })
      // The session may have switched to another log meanwhile.
      if (session.store.getState().structural !== structural) return
      take(page, from)
    } catch (error) {
      const isUnknown = error instanceof Error && "code" in error && error.code === "agent_not_found"
      // An agent that never received a message has no conversation.
      if (isUnknown) take({ messages: [], before: null }, from)
      else {
        failed = structural
        store.setState({ loading: false, error: errorText(error) })
      }
    }
  }

  function take(page: ThreadPage, from: number | null): void {
    const { structural, segments, live } = session.store.getState()
    const said = pageEvents(page, agentId)
    const until = from ?? Number.POSITIVE_INFINITY
    const since = page.before ?? 0
    const others = structural
      .slice(countUpTo(structural, since - 1))
      .filter((event) => event.seq < until && isOwn(event))
    before = page.before
    if (from === null) {
      const last = said.at(-1)?.seq ?? 0
      const newest = segments.at(-1)?.events ?? []
      const late = newest.slice(countUpTo(newest, last)).filter((event) => isOwn(event) && !others.includes(event))
      events = inOrder([...said, ...others, ...late])
      cursor = live.seq
      log = structural
    } else events = [...inOrder([...said, ...others]), ...events]
    draw({ loading: false, error: null, hasEarlier: before !== null })
  }

  /** Folds the conversation again, at the moment shown. */
  function draw(change: Partial<ThreadData> = {}): void {
    const { replaySeq } = session.store.getState()
    const shown = replaySeq === null ? events : events.slice(0, countUpTo(events, replaySeq))
    store.setState({ ...change, thread: shown.reduce(reduceThread, []) })
    // The moment is earlier than any that is loaded.
    if (replaySeq !== null && shown.length === 0) loadEarlier()
  }

  function append({ segments, live, replaySeq }: SessionData): void {
    const newest = segments.at(-1)?.events ?? []
    const fresh = newest.slice(countUpTo(newest, cursor)).filter(isOwn)
    cursor = live.seq
    if (fresh.length === 0) return
    for (const event of fresh) events.push(event)
    if (replaySeq !== null) return
    if (events.length > MOST_EVENTS) {
      events = events.slice(-KEPT_EVENTS)
      before = events[0]?.seq ?? null
      draw({ hasEarlier: true })
      return
    }
    const { thread } = store.getState()
    store.setState({ thread: fresh.reduce(reduceThread, thread ?? []) })
  }

  function loadEarlier(): void {
    if (log === null && store.getState().error !== null) return void load(null)
    if (before !== null && !store.getState().loading) load(before)
  }

  function follow({ signal }: { signal: AbortSignal }): void {
    const stop = session.store.subscribe((data, last) => {
      if (data.structural !== log) {
        if (data.live.seq > 0 && data.structural !== failed && !store.getState().loading) load(null)
      } else if (data.replaySeq !== last.replaySeq) draw()
      else if (data.live.seq > cursor) append(data)
    })
    signal.addEventListener("abort", stop, { once: true })
    const data = session.store.getState()
    if (data.live.seq === 0) return
    if (data.structural === log) append(data)
    else load(null)
  }

  return { store, loadEarlier, follow }
}

const types: ReadonlySet<StudioEvent["type"]> = new Set([
  "run_created",
  "user_message",
  "assistant_message",
  "model_text",
  "tool_call_started",
  "tool_call_finished",
  "question_asked",
  "question_answered",
  "question_withdrawn",
  "agent_notice",
  "agent_retried",
  "agent_refused",
  "run_completed",
  "run_failed",
  "run_cancelled",
])

function isOfThread({ type }: StudioEvent): boolean {
  return types.has(type)
}

/** In a page, a tool call's end has the number of its beginning, and must stay after it. The sort is stable. */
function inOrder(events: StudioEvent[]): StudioEvent[] {
  return events.sort((a, b) => a.seq - b.seq)
}
