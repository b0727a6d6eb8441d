import type { NewEvent } from "@switchyard/core/events"
import { searchMessages } from "@switchyard/core/sessions/message-search"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { fillChat, wholeTurn } from "../../../bench/long-chat.ts"
import { openStores } from "../../fixtures/stores.ts"
import { createManualClock, noSignal } from "../log/store.ts"
import { openSessions } from "./open-sessions.ts"

const options = { signal: noSignal() }
const DAY = 24 * 60 * 60_000

let store: Awaited<ReturnType<typeof openStores>>
let time: ReturnType<typeof createManualClock>
beforeEach(async () => {
  store = await openStores()
  time = createManualClock()
})
afterEach(() => store.close())

function open() {
  const deps = { records: store.records, blobs: store.blobs, clock: time.clock }
  const sessions = openSessions(deps)
  const search = (q: string, before?: string | null) =>
    searchMessages({ ...deps, sessions }, "ada", { q, before: before ?? undefined, ...options })
  const session = async (id: string, events: NewEvent[] = [], owner = "ada") => {
    const { session } = await sessions.touch(owner, id, options)
    if (events.length > 0) await session.decide(() => events, options)
    return session
  }
  return { search, session }
}

const run = { run_id: `run_${"1".repeat(26)}`, agent_id: "agt_1" }
const built = (prompt: string): NewEvent[] => [
  {
    type: "run_created",
    ...run,
    kind: "workflow",
    model: "m",
    title: "A page",
    input: { user_prompt: prompt, recursion_limit: 9 },
  },
]
const said = (content: string, answer: string): NewEvent[] => [
  { type: "user_message", ...run, content, source: "ui" },
  { type: "assistant_message", ...run, blocks: [{ kind: "text", content: answer }] },
]

describe("a search of all that was said", () => {
  it("finds prompts, and messages of people and agents, by words in any order and case, with what stands around them", async () => {
    const { search, session } = open()
    await session("a-page", built("A page about Süßwasser and its fish."))
    await session(
      "a-task",
      said("Mend the parser", `${"Before. ".repeat(60)}The Parser of dates was mended. ${"After. ".repeat(60)}`),
    )
    const { messages, next } = await search("PARSER  mended")
    expect(messages).toMatchObject([{ session_id: "a-task", part: "agent", agent: "agt_1", by: "model", seq: 3 }])
    expect(messages[0]?.excerpt).toMatch(/^….*The Parser of dates was mended\..*…$/)
    expect(next).toBeNull()
    expect((await search("fish sußwasser")).messages).toMatchObject([
      { session_id: "a-page", session_name: "A page", part: "prompt", by: "person", agent: null },
    ])
    expect((await search("trout")).messages).toEqual([])
  })

  it("finds last month's conversation behind all newer sessions, the newest three messages of it", async () => {
    const { search, session } = open()
    const chat = await session("last-month")
    await fillChat(chat, 6)
    await chat.decide(() => wholeTurn(6).slice(0, 1), options)
    time.pass(20 * DAY)
    for (let n = 0; n < 45; n++) {
      time.pass(DAY / 10)
      await session(`newer-${n}`, said("Something else", "Done."))
    }
    const { messages } = await search("lease renewed")
    expect(messages.map(({ session_id, part, by, excerpt }) => [session_id, part, by, excerpt])).toEqual(
      [5, 4, 3].map((turn) => ["last-month", "chat", "person", `Question ${turn}: why is the lease renewed so often?`]),
    )
  })

  it("goes on where it ended, and tells each message once", async () => {
    const { search, session } = open()
    for (let n = 0; n < 50; n++) {
      time.pass(DAY / 10)
      await session(`s-${n}`, said(`Mend part ${n}`, "Done."))
    }
    const found: string[] = []
    let next: string | null = null
    do {
      const page = await search("mend part", next)
      found.push(...page.messages.map(({ session_id }) => session_id))
      next = page.next
    } while (next !== null)
    expect(found).toEqual(Array.from({ length: 50 }, (_, n) => `s-${49 - n}`))
  })

  it("finds nothing of another owner, and nothing in a text that is no message", async () => {
    const { search, session } = open()
    await session("hers", said("A secret", "Kept."), "eve")
    await session("mine", built("A page"))
    expect((await search("secret")).messages).toEqual([])
    expect((await search("workflow")).messages).toEqual([])
  })
})
