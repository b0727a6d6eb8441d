import { setImmediate } from "node:timers/promises"
import { isAppError } from "@switchyard/core/errors"
import type { Records } from "@switchyard/core/storage/records"
import { checkPlaces } from "@switchyard/functions/aws/check-places"
import { createStagePlaces, isQueued } from "@switchyard/functions/aws/stage-places"
import { createSimulatedRecords, type Faults } from "./records.ts"
import { createScheduler, type Process, type Scheduler } from "./scheduler.ts"

/** Sessions that compete for the few slots of a stage, on a store with failing calls, with functions that die. */
export interface SlotScenario {
  seed: number
  faults: Faults
  /** Owner of each session. */
  owners: string[]
  total: number
  perOwner: number
  /** Probabilities that the event of a stopped task is lost, comes twice, or is late. */
  events: { lost: number; doubled: number; late: number }
  mortality: number
}

export interface SlotVariant {
  /** Replaces the store, to show that the simulation notices a fault. */
  records?: (records: Records) => Records
  /** If false, the sweep doesn't compare tasks with slots. Default: true. */
  checks?: boolean
}

interface Session {
  sid: string
  owner: string
  at: number
  isStarting: boolean
  task: string | null
  isDone: boolean
}

const MANY = 60_000
const MINUTE_MS = 60_000
/** The check ignores slots that were taken more recently, because ECS may not list their tasks yet. */
const LISTED_MS = 15_000
const options = { signal: new AbortController().signal }

/** Plays a scenario to its end. Resolves to descriptions of all violations. */
export async function simulateSlots(scenario: SlotScenario, variant: SlotVariant = {}): Promise<string[]> {
  const scheduler = createScheduler(scenario.seed)
  const faults = { ...scenario.faults }
  const store = createSimulatedRecords(scheduler, faults)
  const stage = createStage(scenario, { scheduler, store, variant })
  const { sessions, wrong } = stage

  for (const session of sessions) stage.launch(session, { delay: Math.floor(scheduler.random() * 40) })
  stage.sweep(4)
  await stage.untilQuiet()

  // Once all faults end, every session gets its slot within a few minutes.
  Object.assign(faults, { lost: 0, dropped: 0, late: 0, stalled: 0 } satisfies Faults)
  scheduler.calmDown()
  stage.calmDown()
  for (let minute = 0; minute < 40 && sessions.some(({ isDone }) => !isDone) && wrong.length === 0; minute++) {
    stage.sweep(1)
    await stage.untilQuiet()
  }
  const left = sessions.filter(({ isDone }) => !isDone).map(({ sid }) => sid)
  if (left.length > 0 && wrong.length === 0) wrong.push(`liveness: ${left} never got a slot`)
  return wrong
}

function createStage(
  { owners, total, perOwner, events, mortality: usual }: SlotScenario,
  {
    scheduler,
    store,
    variant,
  }: { scheduler: Scheduler; store: ReturnType<typeof createSimulatedRecords>; variant: SlotVariant },
) {
  const sessions = owners.map(
    (owner, index): Session => ({
      ...{ sid: `s${index}`, owner, at: index, isStarting: false, task: null, isDone: false },
    }),
  )
  const running = new Map<string, Session>()
  const stoppedAt = new Map<string, number>()
  const acting = new Set<Process>()
  const wrong: string[] = []
  let names = 0
  let mortality = usual
  let isCalm = false

  function depsOf(process: Process) {
    const records = store.connect(process)
    const clock = {
      now: scheduler.now,
      sleep: (ms: number, given: { signal?: AbortSignal }) => scheduler.sleep(process, ms, given),
    }
    return { records: variant.records?.(records) ?? records, clock, random: scheduler.random }
  }
  const placesOf = (process: Process) => createStagePlaces({ ...depsOf(process), limits: { total, perOwner } })

  function act(role: string, body: (process: Process) => Promise<void>, dies = mortality) {
    const process = { name: `${role}${names++}`, mortality: dies, dead: false }
    acting.add(process)
    scheduler.spawn(() =>
      body(process)
        .catch((error) => {
          if (!isAppError(error, "storage_unavailable")) wrong.push(`${process.name}: ${error}`)
        })
        .finally(() => acting.delete(process)),
    )
  }

  /** Launches a session in a worker. A worker that takes too long ends, because Lambda ends it. */
  function launch(session: Session, { delay = 0 } = {}) {
    act("launch", async (process) => {
      await scheduler.turn(process, { delay })
      const { sid, owner, at } = session
      if (session.isDone) return
      const startedAt = scheduler.now()
      const places = placesOf(process)
      const onGranted = (granted: string) => follow([granted])
      const queued = await places.take({ sid, owner, at }, { onGranted, ...options })
      if (queued || session.isStarting || session.isDone || scheduler.now() - startedAt > 10 * MINUTE_MS) return
      session.isStarting = true
      const task = `task-${sid}`
      session.task = task
      running.set(task, session)
      act("task", (own) => run(own, task, session), 0)
      count()
      await places.note(sid, task, options)
    })
  }

  async function run(process: Process, task: string, session: Session): Promise<void> {
    for (let step = 0; step < 5; step++) await scheduler.turn(process, { delay: Math.floor(scheduler.random() * 30) })
    running.delete(task)
    session.isDone = true
    stoppedAt.set(task, scheduler.now())
    if (!isCalm && scheduler.chance(events.lost)) return
    for (let times = scheduler.chance(events.doubled) ? 2 : 1; times > 0; times--) {
      const delay = scheduler.chance(events.late) ? 200 : 0
      act("event", async (event) => {
        await scheduler.turn(event, { delay: isCalm ? 0 : delay })
        follow(await placesOf(event).taskStopped(task, options))
      })
    }
  }

  function count() {
    if (running.size > total) wrong.push(`a slot was given twice: ${[...running.keys()]} run, of ${total}`)
    for (const owner of new Set(owners)) {
      const own = [...running.values()].filter((one) => one.owner === owner).length
      if (own > perOwner) wrong.push(`${owner} has ${own} slots, of ${perOwner}`)
    }
  }

  function follow(granted: string[]) {
    for (const session of sessions) if (granted.includes(session.sid)) launch(session)
  }

  function sweep(minutes: number) {
    act("sweep", async (process) => {
      // Divide the minute into many steps, so that no call takes longer than a minute.
      for (let second = 0; second < 60; second += 5) {
        await scheduler.turn(process, { delay: 30 })
        await scheduler.sleep(process, 5000, options)
      }
      if (minutes > 1) sweep(minutes - 1)
      const deps = depsOf(process)
      const places = placesOf(process)
      const begunAt = scheduler.now()
      if (variant.checks !== false) {
        const lookAt = async (sid: string) => {
          const session = sessions.find((one) => one.sid === sid)
          return { task: session?.task ?? null, needsRunner: session?.isDone === false && session.task === null }
        }
        const runningTasks = async () => new Set(running.keys())
        const report = (error: unknown) => void wrong.push(`${process.name}: ${error}`)
        const given = { clock: deps.clock, places, suspends: false, runningTasks, lookAt, report }
        for await (const sid of checkPlaces(given, options)) follow([sid])
      }
      for (const { task, at, sid } of await places.held(options)) {
        const stopped = stoppedAt.get(task ?? "")
        const isKnown = stopped !== undefined && stopped < begunAt && at + LISTED_MS < begunAt
        if (isKnown) wrong.push(`the slot of ${sid} leaks: its task stopped ${begunAt - stopped} ms before the check`)
      }
      for (const session of sessions) {
        if (!session.isDone && !session.isStarting && !(await isQueued(deps, session.sid, options))) launch(session)
      }
    })
  }

  return {
    ...{ sessions, wrong, launch, sweep },
    calmDown() {
      mortality = 0
      isCalm = true
    },
    async untilQuiet(): Promise<void> {
      const isQuiet = () => scheduler.tasks() === 0 && [...acting].every(({ dead }) => dead)
      for (let step = 0; step < MANY; step++) {
        const nobodyWaits = await scheduler.run({ maxSteps: 1, over: isQuiet })
        if (isQuiet() || wrong.length > 0) return
        if (nobodyWaits) await setImmediate()
      }
      wrong.push("liveness: a process never comes to an end")
    },
  }
}
