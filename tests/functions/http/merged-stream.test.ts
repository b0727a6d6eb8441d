import { randomUUID } from "node:crypto"
import type { TerminalEvent } from "@switchyard/core/agents/terminals/schema"
import { openTerminalLog } from "@switchyard/core/agents/terminals/terminal-log"
import type { NewEvent } from "@switchyard/core/events"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import type { Log } from "@switchyard/core/log/log"
import { followMerged, type MergedFrame, parseMergedCursor } from "@switchyard/core/sessions/events/merged-stream"
import { sessionFold } from "@switchyard/core/state"
import { systemClock as clock } from "@switchyard/core/time"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { cases, never } from "../../settings.ts"
import { startServer, type TestServer } from "../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const OWNER = "local"
const PTY = "pty_1"
const size = { rows: 24, cols: 80 }
const options = { signal: never }

type Told = Exclude<MergedFrame, string>

/** Opens a session with a terminal, and a runner that writes to its log and its terminal. */
async function open() {
  const core = server.core()
  const sessionId = `merged-${randomUUID()}`
  await core.sessions.touch(OWNER, sessionId, options)
  const found = await core.sessions.find(OWNER, sessionId, options)
  const base = { ...server.stores, log: core.log, newId: core.newId, clock, fold: sessionFold, writer: "test" }
  const session = await openSessionLog(base, found.sid, options)
  const say = (event: object) => session.decide(() => [event as NewEvent], options)
  await say({ type: "terminal_opened", pty: PTY, kind: "driver", title: "Mock", ...size })
  const { incarnation } = session.state.session
  const terminal = openTerminalLog(base, { sid: found.sid, incarnation, pty: PTY, writer: "test" })
  const waiting: TerminalEvent[] = []
  const flushedAt = new Map<number, number>()
  let offset = 0
  let flushed = 0
  let after = session.state.head

  const at = () => ({ offset, after })
  function write(length: number, follows = session.state.head): void {
    after = follows
    const bytes = Buffer.alloc(length, "x").toString("base64")
    waiting.push({ type: "terminal_bytes", ...at(), bytes })
    offset += length
  }
  async function flush(): Promise<void> {
    if (waiting.length > 0) await terminal.append(waiting.splice(0), options)
    flushed = offset
  }
  async function append(settles: boolean): Promise<void> {
    if (settles) await flush()
    const before = flushed
    await say({ type: "note", text: "An event." })
    flushedAt.set(session.state.head, before)
  }
  async function snapshot(): Promise<void> {
    waiting.push({ type: "terminal_snapshot", ...at(), ...size, screen: "" })
    await flush()
  }
  async function end(): Promise<number> {
    waiting.push({ type: "terminal_ended", offset, exit_code: 0 })
    await append(true)
    return session.state.head
  }
  await snapshot()
  const find = () => core.sessions.find(OWNER, sessionId, options)
  return { base, found: find, write, flush, append, snapshot, end, flushedAt }
}

type Place = Awaited<ReturnType<typeof open>>

/** Returns a reader's frames after `id`, up to the first frame that satisfies `enough`. */
async function read(
  { base }: Place,
  found: SessionHandle,
  { log = base.log, id, enough }: { log?: Log; id?: string | undefined; enough: (told: Told) => boolean },
): Promise<Told[]> {
  const deps = { ...base, log, inboxes: { send: async () => {} }, stopping: never, report: () => {} }
  const all: Told[] = []
  for await (const told of followMerged(deps, found, parseMergedCursor(id), options)) {
    if (typeof told === "string") continue
    all.push(told)
    if (enough(told)) break
  }
  return all
}

/** Checks the order of all frames that one reader received over its connections. */
function check(told: Told[], { flushedAt }: Pick<Place, "flushedAt">, head: number): void {
  const seqs = told.flatMap((one) => ("event" in one ? [one.event.seq] : []))
  expect(seqs).toEqual(Array.from({ length: head }, (_, index) => index + 1))
  let seq = 0
  let offset = 0
  for (const one of told) {
    if ("event" in one) seq = one.event.seq
    if (!("frame" in one)) continue
    const { frame } = one
    expect(frame.after).toBeLessThanOrEqual(seq)
    if (frame.type === "bytes") expect(frame.offset - frame.bytes.length).toBe(offset)
    // A reconnected reader may receive a snapshot or the end a second time.
    const isAgain = frame.type === "ended" || frame.offset === offset
    offset = frame.offset
    // Frames that were flushed before an event was written must arrive before that event.
    for (let later = frame.after + 1; later <= seq && !isAgain; later++) {
      expect(frame.offset).toBeGreaterThan(flushedAt.get(later) ?? -1)
    }
  }
}

interface Step {
  does: "write" | "append" | "flush" | "snapshot"
  length: number
  settles: boolean
}

async function perform(place: Place, { does, length, settles }: Step): Promise<void> {
  if (does === "write") place.write(length)
  else if (does === "append") await place.append(settles)
  else await place[does]()
}

const scripts = fc.record({
  steps: fc.array(
    fc.record({
      does: fc.constantFrom<Step["does"][]>("write", "write", "write", "append", "append", "flush", "snapshot"),
      length: fc.integer({ min: 1, max: 9 }),
      settles: fc.boolean(),
    }),
    { maxLength: 30 },
  ),
  /** Number of steps before each read of a log. */
  pace: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 8 }),
  /** Number of frames after which each connection is cut. */
  cuts: fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 8 }),
})

/** Performs some steps at each read of a log, and the remaining steps while nothing is read. */
function performWhileReading(place: Place, steps: Step[], pace: number[]) {
  const script = [...steps]
  let turns = 0
  let head: number | undefined
  let last = Promise.resolve()
  function goOn(count: number): Promise<void> {
    last = last.then(async () => {
      for (let done = 0; done < count; done++) {
        const next = script.shift()
        if (next) await perform(place, next)
        else head ??= await place.end()
      }
    })
    return last
  }
  const log: Log = {
    ...place.base.log,
    async *read(name, since, given) {
      await goOn(pace[turns++ % pace.length] ?? 0)
      yield* place.base.log.read(name, since, given)
    },
  }
  const idle = async () => {
    for (; head === undefined; await clock.sleep(20, options)) await goOn(1)
  }
  return { log, head: () => head, rest: idle() }
}

describe("a session's events and its terminal's frames", () => {
  it("are told in the order in which they were written, however the logs grow while they are read", async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async ({ steps, pace, cuts }) => {
        const place = await open()
        const { log, head, rest } = performWhileReading(place, steps, pace)
        const told: Told[] = []
        for (const cut of [...cuts, Number.POSITIVE_INFINITY]) {
          let count = 0
          const isLast = (one: Told) => "event" in one && one.event.seq === head()
          if (told.some(isLast)) break
          const enough = (one: Told) => isLast(one) || ++count >= cut
          told.push(...(await read(place, await place.found(), { log, id: told.at(-1)?.id, enough })))
        }
        await rest
        check(told, place, head() ?? 0)
      }),
      { numRuns: cases({ usual: 40, deep: 1000 }) },
    )
  })

  it("are told in that order from whatever place, once both logs are whole", async () => {
    const place = await open()
    for (let round = 0; round < 5; round++) {
      place.write(3)
      await place.append(true)
      place.write(2)
      await place.append(true)
    }
    const head = await place.end()
    const enough = (one: Told) => "event" in one && one.event.seq === head
    const found = await place.found()
    const whole = await read(place, found, { enough })
    check(whole, place, head)
    const attached = whole.findIndex((one) => "frame" in one)
    for (const [index, { id }] of whole.entries()) {
      if (index < attached || index === whole.length - 1) continue
      const rest = await read(place, found, { id, enough })
      const missed = whole.slice(index + 1)
      expect(rest.slice(-missed.length)).toEqual(missed)
      // A reconnected reader may receive a snapshot or the end a second time.
      for (const again of rest.slice(0, -missed.length)) {
        expect(again).toMatchObject({ id, frame: { type: expect.stringMatching(/snapshot|ended/) } })
      }
    }
  })

  it("shows a picture of later bytes only where those bytes stand", async () => {
    const place = await open()
    place.write(3)
    await place.append(true)
    place.write(3)
    await place.append(true)
    place.write(3)
    await place.snapshot()
    const head = await place.end()
    const told = await read(place, await place.found(), { enough: (one) => "event" in one && one.event.seq === head })
    check(told, place, head)
    const picture = told.findIndex((one) => "frame" in one)
    expect(told[picture]).toMatchObject({ frame: { type: "snapshot", offset: 9, after: head - 1 } })
    expect(told[picture - 1]).toMatchObject({ event: { seq: head - 1 } })
  })

  it("wait for no event that the session doesn't have", async () => {
    const place = await open()
    const found = await place.found()
    const told: Told[] = []
    const bytes = () => told.filter((one) => "frame" in one && one.frame.type === "bytes").length
    place.write(3, 1_000_000)
    await place.flush()
    const deps = { ...place.base, inboxes: { send: async () => {} }, stopping: never, report: () => {} }
    for await (const one of followMerged(deps, found, parseMergedCursor(undefined), options)) {
      if (typeof one === "string") continue
      told.push(one)
      // The first bytes are older than the reader. The next bytes arrive while it waits.
      if (bytes() === 1 && told.length === found.state.head + 2) {
        place.write(4, 2_000_000)
        await place.flush()
      }
      if (bytes() === 2) break
    }
    expect(told.at(-1)).toMatchObject({ frame: { type: "bytes", offset: 7, after: 2_000_000 } })
  })
})
