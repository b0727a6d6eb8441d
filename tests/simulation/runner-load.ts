import { checkPlaces } from "@switchyard/functions/aws/check-places"
import type { PlaceLimits } from "@switchyard/functions/aws/place-rules"
import { createStagePlaces, isInUse, isQueued } from "@switchyard/functions/aws/stage-places"
import { createLimitedRecords } from "./limited-records.ts"
import { mulberry32 } from "./scheduler.ts"
import { createVirtualTime } from "./virtual-time.ts"

export interface Load {
  seed: number
  limits: PlaceLimits
  /** Owner of each session. */
  owners: string[]
  /** All sessions ask for a runner within this time. */
  withinMs: number
  /** Probabilities that an event of a stopped task is lost, comes twice, or is half a minute late. */
  events: { lost: number; doubled: number; late: number }
  /** Probability that Lambda loses a launch. */
  lostLaunches: number
}

interface Session {
  sid: string
  owner: string
  /** Time of the request to the API. */
  at: number
  queuedAt?: number
  grantedAt?: number
  askedAgainAt: number
  /** True once ECS has started the task. Requests with the same token start only one. */
  isStarted: boolean
  isDone: boolean
}

const MINUTE_MS = 60_000
const options = { signal: new AbortController().signal }

/**
 * Simulates a stage whose sessions all ask for a runner, use it for some minutes and leave, on a table that throttles.
 */
export async function simulateLoad(load: Load) {
  const time = createVirtualTime()
  const random = mulberry32(load.seed)
  const store = createLimitedRecords(time, random)
  const clock = { now: time.now, sleep: time.sleep }
  const deps = { records: store.records, clock, random }
  const places = createStagePlaces({ ...deps, limits: load.limits })
  const sessions = load.owners.map(
    (owner, index): Session => ({
      ...{ sid: `session-${String(index).padStart(32, "0")}`, owner, isStarted: false, isDone: false },
      at: Math.floor(random() * load.withinMs),
      askedAgainAt: 0,
    }),
  )
  const bySid = new Map(sessions.map((session) => [session.sid, session]))
  const asksMs: number[] = []
  const failures: unknown[] = []
  const running = new Map<string, Session>()
  let mostRunning = 0
  let mostOfOneOwner = 0
  let tasks = 0
  const chance = (probability: number) => random() < probability
  const spawn = (work: Promise<unknown>) => void work.catch((error) => failures.push(error))

  /** A worker's launch. */
  async function launch(session: Session): Promise<void> {
    await time.sleep(50 + random() * 250)
    if (chance(load.lostLaunches)) return
    const startedAt = time.now()
    const { sid, owner, at } = session
    if (session.isDone) return follow(await places.release(sid, undefined, { unused: true, ...options }))
    const onGranted = (granted: string) => follow([granted])
    const queued = await places.take({ sid, owner, at }, { onGranted, ...options })
    asksMs.push(time.now() - startedAt)
    if (queued) {
      session.queuedAt ??= time.now()
      return
    }
    session.grantedAt ??= time.now()
    if (session.isStarted) return
    session.isStarted = true
    await time.sleep(1000)
    const task = `task-${tasks++}`
    running.set(task, session)
    mostRunning = Math.max(mostRunning, running.size)
    mostOfOneOwner = Math.max(mostOfOneOwner, [...running.values()].filter((one) => one.owner === owner).length)
    await places.note(sid, task, options)
    await time.sleep(MINUTE_MS + random() * 4 * MINUTE_MS)
    session.isDone = true
    running.delete(task)
    if (chance(load.events.lost)) return
    for (let times = chance(load.events.doubled) ? 2 : 1; times > 0; times--) spawn(stopped(task))
  }

  /** Handles the event of a stopped task. */
  async function stopped(task: string): Promise<void> {
    await time.sleep(1000 + (chance(load.events.late) ? 30_000 : 0))
    follow(await places.taskStopped(task, options))
  }

  function follow(granted: string[]): void {
    for (const sid of granted) {
      const session = bySid.get(sid)
      if (!session) continue
      session.grantedAt ??= time.now()
      spawn(launch(session))
    }
  }

  /** Sweeps each minute: checks the slots, and relaunches sessions that aren't in the queue after three minutes. */
  async function sweep(): Promise<void> {
    const lookAt = async (sid: string) => ({ task: null, needsRunner: bySid.get(sid)?.isDone === false })
    const runningTasks = async () => new Set(running.keys())
    const report = (error: unknown) => void failures.push(error)
    if (await isInUse(deps, options))
      for await (const sid of checkPlaces({ clock, places, suspends: false, runningTasks, lookAt, report }, options))
        follow([sid])
    for (const session of sessions) {
      const isRunning = session.isDone || [...running.values()].includes(session)
      if (isRunning || time.now() - Math.max(session.at, session.askedAgainAt) < 3 * MINUTE_MS) continue
      if (await isQueued(deps, session.sid, options)) continue
      session.askedAgainAt = time.now()
      spawn(launch(session))
    }
  }

  for (const session of sessions) spawn(time.sleep(session.at).then(() => launch(session)))
  let minutes = 0
  for (; sessions.some(({ isDone }) => !isDone) && minutes < 600; minutes++) {
    await time.run((minutes + 1) * MINUTE_MS)
    spawn(sweep())
  }
  return {
    ...{ sessions, asksMs: asksMs.toSorted((a, b) => a - b), mostRunning, mostOfOneOwner, minutes },
    failures,
    throttled: store.throttled,
    units: store.units,
  }
}

export function percentile(sorted: number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0
}

/** Decisions within this time of each other have no order: a call takes this long from its decision to its end. */
const AT_ONCE_MS = 250

/**
 * Counts sessions that got a slot while an earlier session stayed in the queue: those of its owner, and the most of any
 * other owner.
 */
export function overtaken(sessions: Session[]): { ofOwner: number; ofAnother: number } {
  let ofOwner = 0
  let ofAnother = 0
  for (const earlier of sessions) {
    const { queuedAt = Number.POSITIVE_INFINITY, grantedAt = Number.POSITIVE_INFINITY } = earlier
    const before = sessions.filter((later) => {
      const got = later.grantedAt ?? Number.POSITIVE_INFINITY
      return later.at > earlier.at && got > queuedAt + AT_ONCE_MS && got < grantedAt - AT_ONCE_MS
    })
    const counts = new Map<string, number>()
    for (const { owner } of before) counts.set(owner, (counts.get(owner) ?? 0) + 1)
    ofOwner += counts.get(earlier.owner) ?? 0
    counts.delete(earlier.owner)
    ofAnother = Math.max(ofAnother, ...counts.values())
  }
  return { ofOwner, ofAnother }
}
