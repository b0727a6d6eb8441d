import { randomBytes } from "node:crypto"
import { deflateRawSync, inflateRawSync } from "node:zlib"
import { AppError } from "@switchyard/core/errors"
import { createNewId } from "@switchyard/core/ids"
import { endedRunsPartition, logName, snapshotKey } from "@switchyard/core/kernel/keys"
import { inOpenSession, openSession } from "@switchyard/core/kernel/rules"
import { openSessionLog, type SessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { deleteSession } from "@switchyard/core/sessions/rules"
import { applyEvent, emptySession, sessionFold } from "@switchyard/core/state"
import type { Records } from "@switchyard/core/storage/records"
import { systemClock } from "@switchyard/core/time"
import { createRun } from "@switchyard/core/work/runs/admission"
import { findRun } from "@switchyard/core/work/runs/ended-runs"
import { appendAsExecutor, claimRun, endRun } from "@switchyard/core/work/runs/rules"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openStores } from "../../fixtures/stores.ts"
import { noSignal, note, spied } from "../log/store.ts"
import { committed, completed, created } from "./folded.ts"

const sid = "0123456789abcdef"
const options = { signal: noSignal() }

let store: Awaited<ReturnType<typeof openStores>>
beforeEach(async () => {
  store = await openStores()
})
afterEach(() => store.close())

const logOn = (records: Records) => createLog({ records, blobs: store.blobs, clock: systemClock })

function open(records: Records = store.records, signal = noSignal()): Promise<SessionLog> {
  const deps = {
    log: logOn(records),
    records,
    clock: systemClock,
    newId: createNewId(),
    fold: sessionFold,
    writer: "test",
  }
  return openSessionLog(deps, sid, { signal })
}

async function foldFromTheStart() {
  return (await Array.fromAsync(logOn(store.records).read(logName(sid), 0, {}))).reduce(applyEvent, emptySession)
}

const notes = (count: number) => Array.from({ length: count }, (_, i) => note(`${i}`))

describe("deciding", () => {
  it("asks again whoever lost the race, with everything heard that came before", async () => {
    const [one, two] = [await open(), await open()]
    await one.decide(inOpenSession("mine", createRun(created("run_1"))), options)
    const heads: number[] = []
    const late = two.decide((state) => {
      heads.push(state.head)
      return createRun(created("run_2"))(state)
    }, options)
    await expect(late).rejects.toMatchObject({ code: "run_active", details: { run_id: "run_1" } })
    expect(heads[0]).toBe(0)
    expect(heads.at(-1)).toBe(2)
    expect(two.state).toEqual(one.state)
  })

  it("refuses, or says nothing, only once the whole log was heard", async () => {
    const [one, two] = [await open(), await open()]
    await one.decide(openSession("mine"), options)
    await two.catchUp(options)
    await one.decide(inOpenSession("mine", createRun(created())), options)
    // The second log hasn't read the run yet.
    const [event] = await two.decide(claimRun("run_1", "exe", 0), options)
    expect(event).toMatchObject({ type: "run_claimed", seq: 3 })
    await one.decide(endRun("run_1", 1, 0, { type: "run_completed" }), options)
    expect(
      await two.decide(({ runs }) => (runs.byId.run_1?.status === "completed" ? [note("over")] : []), options),
    ).toHaveLength(1)
  })

  it("lets each of many in one process decide in its turn", async () => {
    let asking = 0
    const alone = async <T>(call: Promise<T>) => {
      expect(++asking).toBe(1)
      await new Promise((resolve) => setImmediate(resolve))
      asking--
      return call
    }
    const session = await open({ ...store.records, put: (...args) => alone(store.records.put(...args)) })
    const decided = Array.from({ length: 20 }, (_, i) =>
      session.decide((state) => [note(`${i} at ${state.head}`)], options),
    )
    expect((await Promise.all(decided)).map(([event]) => event)).toMatchObject(
      Array.from({ length: 20 }, (_, i) => ({ seq: i + 1, text: `${i} at ${i}` })),
    )
  })

  it("lets two sessions in one process race for every place, and each decision stand once", async () => {
    const sessions = await Promise.all([open(), open(), open()])
    const all = sessions.flatMap((session, s) =>
      Array.from({ length: 15 }, (_, i) => session.decide(() => [note(`${s} ${i}`)], options)),
    )
    const said = (await Promise.all(all)).flat()
    expect(said.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(Array.from({ length: 45 }, (_, i) => i + 1))
    expect(await Array.fromAsync(logOn(store.records).read(logName(sid), 0, {}))).toEqual(
      said.sort((a, b) => a.seq - b.seq),
    )
  })

  it("goes on after a call that failed, and one that was given up while it may have appended", async () => {
    const giveUp = new AbortController()
    let puts = 0
    const torn: Records = {
      ...store.records,
      async put(...args) {
        const version = await store.records.put(...args)
        if (++puts !== 2) return version
        giveUp.abort(new Error("enough"))
        throw new AppError("storage_unavailable", "lost")
      },
    }
    const session = await open(torn)
    await session.decide(() => [note("a")], options)
    const given = session.decide(() => [note("b")], { signal: giveUp.signal })
    const queued = session.decide((state) => [note(`after ${state.head}`)], options)
    await expect(given).rejects.toThrow()
    expect(await queued).toMatchObject([{ seq: 3, text: "after 2" }])
    const broken = session.decide(() => {
      throw new Error("a rule with a fault")
    }, options)
    await expect(broken).rejects.toThrow("fault")
    expect(await session.decide(() => [note("c")], options)).toMatchObject([{ seq: 4 }])
    expect(session.state).toEqual(await foldFromTheStart())
  })
})

describe("what is too large for the log", () => {
  it("lies with the files of the session's present life, so that it goes with them", async () => {
    const session = await open()
    const large = note("x".repeat(40_000))
    const keyOf = ([...events]: unknown[]) => Object(events.at(-1)).text.key
    expect(
      keyOf(
        await session.decide(
          inOpenSession("mine", () => [large]),
          options,
        ),
      ),
    ).toMatch(`s/${sid}/1/artifacts/`)
    await session.decide(deleteSession("request"), options)
    expect(
      keyOf(
        await session.decide(
          inOpenSession("mine", () => [large]),
          options,
        ),
      ),
    ).toMatch(`s/${sid}/2/artifacts/`)
    const [event] = await session.decide(() => [large], options)
    expect(await store.blobs.head(keyOf([event]))).toMatchObject({ sizeBytes: 40_002 })
  })
})

describe("a snapshot", () => {
  const snapshots = async () => (await store.records.get(snapshotKey(sid)))?.value.head

  it("is written every 200 events, and when a run ends", async () => {
    const session = await open()
    await session.decide(inOpenSession("mine", createRun(created())), options)
    await session.decide(claimRun("run_1", "exe", 0), options)
    await session.decide(appendAsExecutor("run_1", 1, notes(190)), options)
    expect(await snapshots()).toBeUndefined()
    await session.decide(appendAsExecutor("run_1", 1, notes(7)), options)
    expect(await snapshots()).toBe(200)
    await session.decide(appendAsExecutor("run_1", 1, notes(3)), options)
    expect(await snapshots()).toBe(200)
    await session.decide(endRun("run_1", 1, 0, { type: "run_completed" }), options)
    expect(await snapshots()).toBe(204)
  })

  it("is written by many who each append a little", async () => {
    for (let i = 0; i < 21; i++) await (await open()).decide(() => notes(10), options)
    expect(await snapshots()).toBe(200)
  })

  it("keeps a decision on 50,000 events at two reads and one write", async () => {
    const session = await open()
    await session.decide(inOpenSession("mine", createRun(created())), options)
    await session.decide(claimRun("run_1", "exe", 0), options)
    for (let i = 0; i < 249; i++) await session.decide(appendAsExecutor("run_1", 1, notes(200)), options)
    await session.decide(appendAsExecutor("run_1", 1, notes(150)), options)
    await session.decide(appendAsExecutor("run_1", 1, notes(47)), options)
    expect(session.state.head).toBe(50_000)

    const { records, calls } = spied(store.records)
    const late = await open(records)
    expect(await late.decide(appendAsExecutor("run_1", 1, [committed(1, "step")]), options)).toMatchObject([
      { seq: 50_001 },
    ])
    expect(calls).toEqual(["get", "range", "put"])
    expect(late.state).toEqual(await foldFromTheStart())
  })

  it("that is gone, broken, empty, of another format or older costs a longer read and nothing else", async () => {
    const session = await open()
    await session.decide(inOpenSession("mine", createRun(created())), options)
    await session.decide(() => notes(220), options)
    const older = await store.records.get(snapshotKey(sid))
    await session.decide(() => notes(220), options)
    const newest = await store.records.get(snapshotKey(sid))
    if (!older?.bytes || !newest?.bytes) throw new Error("There is no snapshot.")
    const value = { format: 1, head: 1 }
    const kept = [
      { value: older.value, bytes: older.bytes },
      { value, bytes: randomBytes(100) },
      { value, bytes: newest.bytes.subarray(0, newest.bytes.length / 2) },
      { value, bytes: new Uint8Array() },
      { value },
      { value: { format: 0, head: 2 }, bytes: deflateRawSync(JSON.stringify({ head: 2, another: "shape" })) },
      { value: {}, bytes: newest.bytes },
    ]
    for (const body of kept) {
      await store.records.put(snapshotKey(sid), body)
      expect((await open()).state).toEqual(session.state)
    }
    await store.records.remove(snapshotKey(sid))
    expect((await open()).state).toEqual(session.state)
  })

  it.each(sessionFold.names)("whose %s has another shape has it folded anew, and the rest as it is", async (name) => {
    const session = await open()
    await session.decide(inOpenSession("mine", createRun(created())), options)
    await session.decide(claimRun("run_1", "exe", 0), options)
    await session.decide(appendAsExecutor("run_1", 1, [committed(1, "step")]), options)
    await session.decide(() => notes(220), options)
    const record = await store.records.get(snapshotKey(sid))
    if (!record?.bytes) throw new Error("There is no snapshot.")
    const stored = JSON.parse(inflateRawSync(record.bytes).toString())
    const other = { ...stored, changedAt: "another time", [name]: { another: "shape" } }
    const versions = { ...(record.value.versions as { [part: string]: number }), [name]: 0 }
    const bytes = deflateRawSync(JSON.stringify(other))
    await store.records.put(snapshotKey(sid), { value: { ...record.value, versions }, bytes })

    const { records, calls } = spied(store.records)
    const { state } = await open(records)
    expect(state).toEqual({ ...session.state, changedAt: state.changedAt })
    expect(calls).toEqual(["get", "range", "range"])
  })

  it("of runs that is folded anew has those that ended leave it again, and be found", async () => {
    const session = await open()
    await session.decide(openSession("mine"), options)
    for (let i = 0; i < 120; i++) {
      const run_id = `run_${String(i).padStart(3, "0")}`
      await session.decide(() => [created(run_id), { ...completed(), run_id }], options)
    }
    const record = await store.records.get(snapshotKey(sid))
    if (!record?.bytes) throw new Error("There is no snapshot.")
    const versions = { ...(record.value.versions as { [part: string]: number }), runs: 0 }
    await store.records.put(snapshotKey(sid), { value: { ...record.value, versions }, bytes: record.bytes })
    await store.records.remove({ partition: endedRunsPartition(sid), sort: "run_007" })

    const { state } = await open()
    expect(Object.keys(state.runs.byId).length).toBeLessThan(100)
    expect(state.runs.forgotten.runs + Object.keys(state.runs.byId).length).toBe(120)
    expect(await findRun(store.records, { sid, state }, "run_007", options)).toMatchObject({ status: "completed" })
  })

  it("that can't be written fails no decision", async () => {
    const failures = [new AppError("storage_unavailable", "busy"), new AppError("storage_too_large", "large")]
    for (const failure of failures) {
      const { records } = spied(store.records, (call, sort) => {
        if (call === "put" && sort === "state") throw failure
      })
      expect(await (await open(records)).decide(() => notes(250), options)).toHaveLength(250)
    }
    const giveUp = new AbortController()
    const { records } = spied(store.records, (call, sort) => {
      if (call !== "put" || sort !== "state") return
      giveUp.abort(new Error("enough"))
      giveUp.signal.throwIfAborted()
    })
    expect(await (await open(records)).decide(() => notes(250), giveUp)).toHaveLength(250)
    expect((await open()).state.head).toBe(750)
  })
})

describe("a session that is deleted and opened again under its id", () => {
  /** Starts a run in a session, then deletes the session and opens it again. */
  async function anew() {
    const executor = await open()
    await executor.decide(inOpenSession("mine", createRun(created())), options)
    await executor.decide(claimRun("run_1", "exe", 0), options)
    await executor.decide(appendAsExecutor("run_1", 1, [committed(1, "step")]), options)
    const user = await open()
    await user.decide(deleteSession("request"), options)
    const deletedAt = user.state.session.since?.seq ?? 0
    await user.decide(inOpenSession("mine", createRun(created("run_2"))), options)
    return { executor, user, deletedAt, openedAt: user.state.session.since?.seq ?? 0 }
  }

  it("is another one: no runs, no files, and nothing for an executor of before", async () => {
    const { executor, user } = await anew()
    expect(user.state.session).toMatchObject({ incarnation: 2, deleted: false })
    expect(user.state.workspace).toMatchObject({ version: 0, manifest: null })
    expect(Object.keys(user.state.runs.byId)).toEqual(["run_2"])
    const head = user.state.head
    for (const rule of [
      appendAsExecutor("run_1", 1, [note("late")]),
      endRun("run_1", 1, 0, { type: "run_completed" }),
    ]) {
      await expect(executor.decide(rule, options)).rejects.toMatchObject({ code: "run_superseded" })
    }
    expect((await user.catchUp(options)).head).toBe(head)
    expect(executor.state).toEqual(user.state)
  })

  it("reads the same once what was before is forgotten, even where the deletion stood in the middle of a batch", async () => {
    const { executor, user, deletedAt, openedAt } = await anew()
    const log = logOn(store.records)
    const expected = user.state
    for (const begin of [deletedAt, openedAt]) {
      await log.truncate(logName(sid), begin, {})
      await store.records.remove(snapshotKey(sid))
      expect((await open()).state).toEqual(expected)
    }
    expect(await executor.catchUp(options)).toEqual(expected)
    expect(await user.decide(() => [note("on")], options)).toMatchObject([{ seq: expected.head + 1 }])
  })

  it("is never decided on in part: a walk that fails leaves the state as it was", async () => {
    const user = await open()
    await user.decide(inOpenSession("mine", createRun(created())), options)
    let failing = false
    const { records } = spied(store.records, (call, sort) => {
      if (failing && call === "range" && sort === "") throw new AppError("storage_unavailable", "throttled")
    })
    const asleep = await open(records)
    await user.decide(deleteSession("request"), options)
    await user.decide(inOpenSession("mine", createRun(created("run_2"))), options)
    await logOn(store.records).truncate(logName(sid), user.state.session.since?.seq ?? 0, {})

    failing = true
    await expect(asleep.catchUp(options)).rejects.toMatchObject({ code: "storage_unavailable" })
    expect(asleep.state.head).toBe(2)
    failing = false
    await expect(asleep.decide(createRun(created("run_3")), options)).rejects.toMatchObject({ code: "run_active" })
    expect(asleep.state).toEqual(user.state)
  })
})
