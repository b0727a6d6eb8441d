import type { LogEvent } from "@switchyard/core/events"
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { processesWith } from "../runner/agents/workshop.ts"
import { someOf } from "../settings.ts"
import { type Containers, openContainers } from "./containers.ts"
import { endsOf, expectSound } from "./ledger.ts"
import { seeded } from "./random.ts"

/** An executor without a sign of life for this long is presumed dead. */
const PAST_A_LEASE_MS = 61_000
const INSTANTS = Array.from({ length: 20 }, (_, index) => index)
/** The usual run tries only this instant. */
const FIRST = 6
/** Number of records that a runner writes between two instants. The last instants come after the end. */
const APART = 3

let cloud: Containers
beforeAll(async () => {
  cloud = await openContainers()
})
beforeEach(() => void vi.spyOn(process.stdout, "write").mockReturnValue(true))
afterAll(() => cloud.close())

async function open() {
  const { id } = (await cloud.call("POST", "/api/v1/sessions", {})).body
  const sid = cloud.sidOf(id)
  const read = () => cloud.events(id)
  return {
    ...{ id, sid, read },
    async begin(knobs: object): Promise<string> {
      const json = { coding_agent: "mock", task_description: `mock: ${JSON.stringify(knobs)}` }
      return (await cloud.call("POST", `/api/v1/sessions/${id}/tasks`, json)).body.task_id
    },
    /**
     * Resolves when the run has ended. Sweeps if the run's last executor is in the `dead` log and no container lives.
     */
    async ended(run: string, dead: () => LogEvent[]): Promise<void> {
      const isDone = async () => {
        const events = await read()
        if (endsOf(events, run).length > 0) return true
        const claim = events.findLast(({ type, run_id }) => type === "run_claimed" && run_id === run)
        const isLost = dead().some(({ event_id }) => event_id === claim?.event_id)
        const isAlone = cloud.ecs.tasksOf(sid).every(({ ended }) => ended)
        if (isLost && isAlone) await cloud.sweepIn(PAST_A_LEASE_MS)
        return false
      }
      await expect.poll(isDone, { interval: 100 }).toBe(true)
    },
    /** Resolves to the session's ledger once its containers have ended. Expects none of their processes to remain. */
    async gone() {
      await expect.poll(() => cloud.ecs.tasksOf(sid).filter(({ ended }) => !ended), { interval: 50 }).toEqual([])
      const folders = cloud.ecs.tasksOf(sid).map(({ id }) => `${cloud.folder}/${id}`)
      expect((await Promise.all(folders.map(processesWith))).flat()).toEqual([])
      const ledger = await cloud.read(id)
      expectSound(ledger, id)
      return ledger
    },
  }
}

const ofType = <T extends LogEvent["type"]>(events: LogEvent[], type: T) =>
  events.filter((event): event is Extract<LogEvent, { type: T }> => event.type === type)

/**
 * Kills the host of a session's runner at this write. With `isHeard`, the write is stored without an answer, and
 * otherwise it is lost. Returns a function that returns the log at that moment.
 */
function loseHostAt(sid: string, instant: number, isHeard: boolean, read: () => Promise<LogEvent[]>): () => LogEvent[] {
  let before: LogEvent[] = []
  let writes = 0
  const lose = async () => {
    await cloud.ecs.kill(sid)
    before = await read()
  }
  cloud.strikes.set(sid, () => {
    if (++writes !== instant) return undefined
    return isHeard ? { after: lose, unheard: true } : { before: lose, never: true }
  })
  return () => before
}

async function playLoss(index: number): Promise<void> {
  const random = seeded(index + 1)
  const { sid, read, begin, ended, gone } = await open()
  const instant = index * APART + random.between(1, APART)
  const where = `instant ${instant}`
  const dead = loseHostAt(sid, instant, random.next() < 0.5, read)
  const first = await begin({ files: { "a.txt": "a\n" }, orphans: 1 })
  await ended(first, dead)
  const second = await begin({ commands: ["cp a.txt copy.txt"], files: { "b.txt": "b\n" }, duration_ms: 200 })
  await ended(second, dead)
  const { events, files } = await gone()
  const before = dead()

  expect(events.slice(0, before.length), where).toEqual(before)
  expect(files, where).toMatchObject({ "a.txt": "a\n", "b.txt": "b\n", "copy.txt": "a\n" })
  for (const run of [first, second]) {
    expect(
      endsOf(events, run).map(({ type }) => type),
      where,
    ).toEqual(["run_completed"])
  }
  // The agent works a third time only if the second run's end wasn't in the log. If the first run's end was saved, so
  // was the agent's memory.
  const work = ofType(events, "agent_session_opened")
  const wasLost = before.length > 0 && endsOf(before, second).length === 0
  expect(work.length, where).toBeLessThanOrEqual(wasLost ? 3 : 2)
  if (endsOf(before, first).length > 0) {
    expect(
      work.filter(({ run_id }) => run_id === first),
      where,
    ).toHaveLength(1)
    expect(new Set(work.map((event) => event.native_session_id)).size, where).toBe(1)
  }
  const opened = ofType(events, "terminal_opened").map(({ pty }) => pty)
  expect(
    ofType(events, "terminal_closed")
      .map(({ pty }) => pty)
      .sort(),
    where,
  ).toEqual(opened.sort())
  expect(cloud.ecs.tasksOf(sid).length, where).toBeLessThanOrEqual(1 + ofType(events, "runner_parked").length + 1)
}

describe("a runner whose host disappears, with its disk", () => {
  it("costs what wasn't saved at that instant; another goes on, and nothing is done twice", async () => {
    // Not concurrently: a sweep whose clock is ahead would presume the other sessions' runners dead.
    for (const index of someOf([FIRST, ...INSTANTS.filter((index) => index !== FIRST)], 1)) await playLoss(index)
  })
})

describe("a runner's task", () => {
  it("that ECS begins twice, or whose reply is lost, is one that works: the other gets no credentials", async () => {
    const played = (["twice", "unheard"] as const).map(async (fate) => {
      const { sid, begin, ended, gone } = await open()
      cloud.ecs.fates.set(sid, [fate])
      const run = await begin({ files: { "a.txt": "a\n" } })
      await ended(run, () => [])
      const { events, files } = await gone()
      expect(files, fate).toMatchObject({ "a.txt": "a\n" })
      for (const type of ["runner_claimed", "run_claimed", "agent_turn_started", "run_completed"] as const) {
        expect(ofType(events, type), fate).toHaveLength(1)
      }
      expect(cloud.ecs.tasksOf(sid), fate).toHaveLength(fate === "twice" ? 2 : 1)
    })
    await Promise.all(played)
  })

  it("that is begun after its session was deleted gets no credentials, and leaves nothing", async () => {
    const { id, sid, begin, gone, read } = await open()
    cloud.ecs.fates.set(sid, ["late"])
    await begin({ files: { "a.txt": "a\n" } })
    await expect.poll(() => cloud.ecs.tasksOf(sid).length, { interval: 20 }).toBe(1)
    expect((await cloud.call("DELETE", `/api/v1/sessions/${id}`)).status).toBeLessThan(300)
    const before = await read()
    cloud.ecs.beginLate(sid)
    const { events } = await gone()
    expect(events).toEqual(before)
    expect(ofType(events, "runner_claimed")).toEqual([])
  })
})
