import { AppError } from "@switchyard/core/errors"
import type { LogEvent, NewEvent } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { readHistory, readHistoryBack, removeHistory } from "@switchyard/core/kernel/history"
import { logName, snapshotKey } from "@switchyard/core/kernel/keys"
import { openSession } from "@switchyard/core/kernel/rules"
import { openSessionLog, type SessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import type { Records } from "@switchyard/core/storage/records"
import { systemClock } from "@switchyard/core/time"
import * as fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores } from "../../fixtures/stores.ts"
import { noSignal, note, spied } from "../log/store.ts"
import { completed, created, deleted, opened } from "./folded.ts"

const options = { signal: noSignal() }

let store: Awaited<ReturnType<typeof openStores>>
beforeEach(async () => {
  store = await openStores()
})
afterEach(() => store.close())

let sessions = 0
const freshSid = () => `history-${sessions++}`

function depsOn(records: Records) {
  const log = createLog({ records, blobs: store.blobs, clock: systemClock })
  return { log, records, clock: systemClock, newId: createNewId(), fold: sessionFold, writer: "test" }
}

const open = (sid: string, records = store.records) => openSessionLog(depsOn(records), sid, options)

const terminalOpened = (pty: string): NewEvent => ({
  type: "terminal_opened",
  ...{ pty, kind: "driver", title: "an agent", rows: 24, cols: 80 },
})
const said = (content: string): NewEvent => ({ type: "user_message", content, source: "task" })
const milestone = (title: string): NewEvent => ({
  type: "milestone",
  ...{ milestone_type: "done", title, summary: "", details: {} },
})

/** Returns the log's events of these types, in order. */
async function inLog(session: SessionLog, types: string[], since = 0): Promise<LogEvent[]> {
  const all = await Array.fromAsync(depsOn(store.records).log.read(logName(session.sid), 0, {}))
  const first = session.state.session.since?.seq ?? 1
  return all.filter(({ type, seq }) => types.includes(type) && seq > since && seq >= first && seq <= session.state.head)
}

const MESSAGES = ["user_message", "assistant_message", "milestone"]

describe("the history of a session by topic", () => {
  it("is what the log has of it, whoever stored which part, from any place, both ways", async () => {
    const anEvent = fc.oneof(
      { weight: 6, arbitrary: fc.nat(500).map((size) => said("é".repeat(size))) },
      { weight: 1, arbitrary: fc.constant(said("x".repeat(30_000))) },
      { weight: 2, arbitrary: fc.constant(milestone("m")) },
      { weight: 4, arbitrary: fc.constant(note("of no topic")) },
      // The end of a run writes the history and then a snapshot.
      { weight: 2, arbitrary: fc.constant(completed()) },
      { weight: 1, arbitrary: fc.constantFrom(opened(2), deleted()) },
    )
    const step = fc.record({
      writer: fc.nat(2),
      events: fc.array(anEvent, { minLength: 1, maxLength: 12 }),
      restart: fc.boolean(),
      snapshotLost: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), fc.nat(100), async (steps, since) => {
        const sid = freshSid()
        const writers = [await open(sid), await open(sid), await open(sid)]
        await writers[0]?.decide(openSession("mine"), options)
        for (const { writer, events, restart, snapshotLost } of steps) {
          if (restart) writers[writer] = await open(sid)
          if (snapshotLost) await store.records.remove(snapshotKey(sid))
          await writers[writer]?.decide(() => events, options)
        }
        for (const session of [...writers, await open(sid)]) {
          await session.catchUp(options)
          const past = { sid, state: session.state, history: session.history }
          const messages = await inLog(session, MESSAGES)
          const deps = depsOn(store.records)
          expect(await Array.fromAsync(readHistory(deps, past, "messages", options))).toEqual(messages)
          expect(await Array.fromAsync(readHistory(deps, past, "messages", { since, ...options }))).toEqual(
            await inLog(session, MESSAGES, since),
          )
          expect(await Array.fromAsync(readHistoryBack(deps, past, "messages", options))).toEqual(messages.reverse())
          const milestones = await Array.fromAsync(readHistory(deps, past, "milestones", options))
          expect(milestones).toEqual(await inLog(session, ["milestone"]))
        }
      }),
      { numRuns: 40 },
    )
  })

  it("costs the same in a long session as in a short one", async () => {
    const reads = async (notes: number) => {
      const { records, calls } = spied(store.records)
      const sid = freshSid()
      const writer = await open(sid)
      await writer.decide(openSession("mine"), options)
      await writer.decide(() => [terminalOpened("pty_1"), said("hello")], options)
      for (let i = 0; i < notes; i += 100) {
        await writer.decide(() => Array.from({ length: 100 }, (_, n) => note(`${i + n}`)), options)
      }
      await writer.decide(() => [terminalOpened("pty_2")], options)
      const session = await open(sid, records)
      const { state, history } = session
      const past = { sid, state, history }
      const found = await Array.fromAsync(readHistoryBack(depsOn(records), past, "terminals", options))
      expect(found.map((event) => event.pty)).toEqual(["pty_2", "pty_1"])
      return calls.length
    }
    expect(await reads(5000)).toBeLessThanOrEqual((await reads(500)) + 1)
  })

  it("ends with the session's life, and leaves nothing of it behind", async () => {
    const sid = freshSid()
    const session = await open(sid)
    await session.decide(openSession("mine"), options)
    await session.decide(() => [said("in the first life"), created(), completed(), deleted()], options)
    await session.decide(openSession("mine"), options)
    await session.decide(() => [said("in the second"), created("run_2"), { ...completed(), run_id: "run_2" }], options)
    const past = { sid, state: session.state, history: session.history }
    const messages = await Array.fromAsync(readHistory(depsOn(store.records), past, "messages", options))
    expect(messages).toMatchObject([{ content: "in the second" }])
    const stored = () => Array.fromAsync(store.records.range(`s/${sid}/history/messages`))
    expect(await stored()).toHaveLength(2)
    await removeHistory(store.records, sid, session.state.session.since?.seq ?? 0, options)
    expect(await stored()).toHaveLength(1)
  })

  it("is complete where it couldn't be stored", async () => {
    const full: Records = {
      ...store.records,
      async put(key, ...rest) {
        if (key.partition.includes("/history/")) throw new AppError("storage_unavailable", "The disk is full.")
        return store.records.put(key, ...rest)
      },
    }
    const sid = freshSid()
    const session = await open(sid, full)
    await session.decide(openSession("mine"), options)
    await session.decide(() => [said("one"), created(), completed()], options)
    const past = { sid, state: session.state, history: session.history }
    expect(session.history.storedSeq).toBe(0)
    const messages = await Array.fromAsync(readHistory(depsOn(store.records), past, "messages", options))
    expect(messages).toMatchObject([{ content: "one" }])
  })
})
