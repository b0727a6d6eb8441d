import type { NewEvent } from "@switchyard/core/events"
import { sessionKey } from "@switchyard/core/ids"
import { entryKey, GRACE_MS, readEntry, TOUCH_RESOLUTION_MS } from "@switchyard/core/sessions/session-index"
import type { Records } from "@switchyard/core/storage/records"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores } from "../../fixtures/stores.ts"
import { createManualClock, noSignal, note } from "../log/store.ts"
import { openSessions } from "./open-sessions.ts"

const options = { signal: noSignal() }
const MINUTE = 60_000

let store: Awaited<ReturnType<typeof openStores>>
let time: ReturnType<typeof createManualClock>
beforeEach(async () => {
  store = await openStores()
  time = createManualClock()
})
afterEach(() => store.close())

function open(records: Records = store.records) {
  return openSessions({ records, blobs: store.blobs, clock: time.clock })
}

const runCreated = (title: string) =>
  ({
    type: "run_created",
    run_id: "run_1",
    agent_id: "agt_1",
    kind: "workflow",
    model: "scripted/demo",
    title,
    input: { user_prompt: title },
  }) as unknown as NewEvent

/** Counts the store calls and the records that they read. */
function counted(records: Records) {
  const count = { asked: 0, rows: 0 }
  const each = async function* <T>(source: AsyncGenerator<T>) {
    count.asked++
    for await (const row of source) {
      count.rows++
      yield row
    }
  }
  const spy: Records = {
    ...records,
    async get(key, options) {
      count.asked++
      count.rows++
      return records.get(key, options)
    },
    range: (partition, options) => each(records.range(partition, options)),
    byList: (list, options) => each(records.byList(list, options)),
  }
  return { records: spy, count }
}

const ids = ({ sessions }: { sessions: { sessionId: string }[] }) => sessions.map(({ sessionId }) => sessionId)

describe("listing sessions", () => {
  it("reads for a page what a page takes, however long the sessions are and however many there are", async () => {
    const sessions = open()
    for (let n = 0; n < 30; n++) {
      time.pass(2 * MINUTE)
      const { session } = await sessions.touch("ada", `s-${n}`, options)
      const events = n >= 26 ? 5000 : 3
      for (let told = 0; told < events; told += 50) {
        await session.decide(() => Array.from({ length: Math.min(50, events) }, () => note("x")), options)
      }
    }
    const { records, count } = counted(store.records)
    const page = await open(records).list("ada", { limit: 5, ...options })
    expect(ids(page)).toEqual(["s-29", "s-28", "s-27", "s-26", "s-25"])
    expect(page.sessions[0]?.state.head).toBe(5001)
    // Two calls for the list and its length, and two for each of its sessions and the next one: the snapshot and the
    // later events.
    expect(count.asked).toBe(2 + 2 * 6)
    // At most 200 events follow a snapshot, here 50 per record.
    expect(count.rows).toBeLessThanOrEqual(6 + 30 + 6 * (1 + 200 / 50))
  })

  it("lets other work have its turn while it searches many sessions", async () => {
    const sessions = open()
    for (let n = 0; n < 300; n++) await sessions.touch("ada", `s-${n}`, options)
    for (const filter of [{ q: "none" }, { withTeam: true }]) {
      let turns = 0
      let isListing = true
      const count = () => {
        turns++
        if (isListing) setImmediate(count)
      }
      setImmediate(count)
      await sessions.list("ada", { ...filter, limit: 5, ...options })
      isListing = false
      expect(turns).toBeGreaterThan(5)
    }
  })

  it("moves a line up where more happened than the line knows, without touching it", async () => {
    const sessions = open()
    const { session } = await sessions.touch("ada", "long", options)
    time.pass(5 * MINUTE)
    await sessions.touch("ada", "short", options)
    time.pass(5 * MINUTE)
    await session.decide(() => [note("still at work")], options)
    expect(ids(await sessions.list("ada", { limit: 1, ...options }))).toEqual(["short"])
    expect(ids(await sessions.list("ada", { limit: 2, ...options }))).toEqual(["long", "short"])
    expect(ids(await sessions.list("ada", { limit: 1, ...options }))).toEqual(["long"])
    const line = await readEntry(store.records, sessionKey("ada", "long"), {})
    expect(line).toMatchObject({ active_at: time.clock.now(), touched_at: time.clock.now() - 10 * MINUTE })
  })

  it("has at its top what somebody is about to work in, even if they looked at it a moment ago", async () => {
    const sessions = open()
    await sessions.touch("ada", "old", options)
    time.pass(2 * MINUTE)
    await sessions.touch("ada", "new", options)
    time.pass(2 * MINUTE)
    await sessions.touch("ada", "old", options)
    expect(ids(await sessions.list("ada", { limit: 1, ...options }))).toEqual(["new"])
    await sessions.touch("ada", "old", { active: true, ...options })
    expect(ids(await sessions.list("ada", { limit: 1, ...options }))).toEqual(["old"])
  })

  it("does not write for what happened a moment after what the line knows", async () => {
    const sessions = open()
    const { session } = await sessions.touch("ada", "one", options)
    time.pass(TOUCH_RESOLUTION_MS - 1)
    await session.decide(() => [note("soon")], options)
    await sessions.list("ada", { limit: 1, ...options })
    expect((await store.records.get(entryKey(sessionKey("ada", "one"))))?.version).toBe(1)
  })

  it("passes over lines without a session, fills the page from those below, and removes them once they are old", async () => {
    const sessions = open()
    for (const id of ["a", "b", "dead-1", "dead-2", "c", "dead-3"]) {
      await sessions.touch("ada", id, options)
      time.pass(2 * MINUTE)
    }
    for (const dead of ["dead-1", "dead-2", "dead-3"]) {
      const line = await readEntry(store.records, sessionKey("ada", dead), {})
      await sessions.remove("ada", dead, options)
      // Restores the entry, as if the process had died right after the deletion.
      const listed = { list: "sessions/ada", order: `${String(line?.active_at).padStart(15, "0")}/${line?.sid}` }
      if (line) await store.records.put(entryKey(line.sid), { value: line }, { listed })
    }
    expect(ids(await sessions.list("ada", { limit: 2, ...options }))).toEqual(["c", "b"])
    const standing = () => readEntry(store.records, sessionKey("ada", "dead-2"), {})
    expect(await standing()).toBeDefined()
    time.pass(GRACE_MS)
    expect(ids(await sessions.list("ada", { limit: 2, ...options }))).toEqual(["c", "b"])
    expect(await standing()).toBeUndefined()
  })

  it("walks all pages to the last, and each session is on one of them", async () => {
    const sessions = open()
    const all = Array.from({ length: 7 }, (_, n) => `s-${n}`)
    // All at the same time, so that only their names order them.
    for (const id of all) await sessions.touch("ada", id, options)
    await sessions.touch("bob", "not hers", options)
    const pages: string[][] = []
    for (let before: string | undefined | null; before !== null; ) {
      const page = await sessions.list("ada", { limit: 3, before, ...options })
      pages.push(ids(page))
      before = page.next
    }
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1])
    expect(pages.flat().sort()).toEqual(all)
  })

  it("has on a later page what happened in a session since it was listed, also where names were searched", async () => {
    const sessions = open()
    const all = ["tea 0", "tea 1", "tea 2", "tea 3", "tea 4", "tea 5"]
    for (const id of all) {
      const { session } = await sessions.touch("ada", id, options)
      await session.decide(() => [runCreated(id)], options)
      time.pass(2 * MINUTE)
    }
    // A runner works in each session, which the list's entries don't show.
    for (const id of all) {
      const { session } = await sessions.touch("ada", id, options)
      await session.decide(() => [note("still at work")], options)
    }
    for (const q of [undefined, "tea"]) {
      const seen: string[] = []
      for (let before: string | undefined | null; before !== null; ) {
        const page = await sessions.list("ada", { limit: 2, before, q, ...options })
        seen.push(...ids(page))
        before = page.next
      }
      expect(seen.sort()).toEqual(all)
      time.pass(5 * MINUTE)
      for (const id of all) {
        const { session } = await sessions.touch("ada", id, options)
        await session.decide(() => [note("and on")], options)
      }
    }
  })

  it("finds by its name what is on no page yet, and opens no session twice to know that it is another", async () => {
    const sessions = open()
    for (let n = 0; n < 60; n++) {
      await sessions.touch("ada", `s-${n}`, { name: n === 0 ? "Café of Zürich" : `Garden ${n}`, ...options })
      time.pass(2 * MINUTE)
    }
    const search = (q: string, from = sessions) => from.list("ada", { limit: 50, q, ...options })
    expect(ids(await search(" zurich CAFE "))).toEqual(["s-0"])
    const { records, count } = counted(store.records)
    expect(ids(await search("cafe", open(records)))).toEqual(["s-0"])
    expect(count.asked).toBe(1 + 2)
    expect(ids(await search("cafe garden"))).toEqual([])
    const all = await search("garden")
    expect(all.sessions).toHaveLength(50)
    const rest = await sessions.list("ada", { limit: 50, q: "garden", before: all.next ?? "", ...options })
    expect([rest.sessions.length, rest.next]).toEqual([9, null])
    expect(ids(await sessions.list("bob", { limit: 50, q: "cafe", ...options }))).toEqual([])
  })

  it("finds a session by the name that it was given since, and no longer by the one before", async () => {
    const sessions = open()
    const { session } = await sessions.touch("ada", "one", { name: "Garden", ...options })
    const found = async (q: string) => ids(await sessions.list("ada", { limit: 9, q, ...options })).length
    time.pass(2 * MINUTE)
    expect(await found("garden")).toBe(1)
    await sessions.change("ada", "one", { name: "Orchard" }, options)
    expect([await found("garden"), await found("orchard")]).toEqual([0, 1])
    await sessions.change("ada", "one", { name: null }, options)
    time.pass(2 * MINUTE)
    expect([await found("orchard"), await found("new session")]).toEqual([0, 1])
    // A run names the session by its request, even if the run starts just after the name was read.
    await sessions.touch("ada", "one", { active: true, ...options })
    await session.decide(() => [runCreated("A page about cats")], options)
    expect([await found("new session"), await found("cats")]).toEqual([0, 1])
  })

  it("has pinned sessions on its first page, and pages on after them", async () => {
    const sessions = open()
    for (let n = 0; n < 6; n++) {
      await sessions.touch("ada", `s-${n}`, options)
      time.pass(2 * MINUTE)
    }
    await sessions.change("ada", "s-1", { pinned: true }, options)
    const first = await sessions.list("ada", { limit: 3, ...options })
    expect(ids(first)).toEqual(["s-1", "s-5", "s-4"])
    expect(ids(await sessions.list("ada", { limit: 9, before: first.next ?? "", ...options }))).toEqual([
      "s-3",
      "s-2",
      "s-0",
    ])
    await sessions.change("ada", "s-1", { pinned: false }, options)
    // Pinning and unpinning aren't activity.
    expect(ids(await sessions.list("ada", { limit: 9, ...options }))).toEqual([
      "s-5",
      "s-4",
      "s-3",
      "s-2",
      "s-1",
      "s-0",
    ])
  })

  it("pins again what was pinned by one that died before it changed the list", async () => {
    const sessions = open()
    const { session } = await sessions.touch("ada", "one", options)
    time.pass(2 * MINUTE)
    await sessions.touch("ada", "two", options)
    await session.decide(() => [{ type: "session_pinned", pinned: true }], options)
    await sessions.list("ada", { limit: 9, ...options })
    expect(ids(await sessions.list("ada", { limit: 1, ...options }))).toEqual(["one"])
  })

  it("comes back for a session whose line was lost as soon as that is looked at", async () => {
    const sessions = open()
    await sessions.touch("ada", "one", options)
    await store.records.remove(entryKey(sessionKey("ada", "one")))
    expect(ids(await sessions.list("ada", { limit: 9, ...options }))).toEqual([])
    await sessions.find("ada", "one", options)
    expect(ids(await sessions.list("ada", { limit: 9, ...options }))).toEqual(["one"])
  })

  it("has none that was only asked for", async () => {
    const sessions = open()
    await expect(sessions.find("ada", "none", options)).rejects.toMatchObject({ code: "session_not_found" })
    await sessions.touch("ada", "one", options)
    await expect(sessions.find("bob", "one", options)).rejects.toMatchObject({ code: "session_not_found" })
    expect(ids(await sessions.list("bob", { limit: 9, ...options }))).toEqual([])
  })

  it("tells the owner of one that was deleted when and why, and nobody else", async () => {
    const sessions = open()
    await sessions.touch("ada", "one", options)
    time.pass(MINUTE)
    await sessions.remove("ada", "one", options)
    const deleted_at = new Date(time.clock.now()).toISOString()
    time.pass(MINUTE)
    const told = { code: "session_not_found", details: { deleted_at, reason: "request" } }
    await expect(sessions.find("ada", "one", options)).rejects.toMatchObject(told)
    const toBob = sessions.find("bob", "one", options).catch(({ code, details }) => ({ code, details }))
    expect(await toBob).toEqual({ ...told, details: {} })
  })
})
