import { logName } from "@switchyard/core/kernel/keys"
import { createWakeups } from "@switchyard/core/log/notifier"
import type { StoredRecord } from "@switchyard/core/storage/records"
import { MAX_ATTEMPTS } from "@switchyard/core/work/runs/rules"
import * as fc from "fast-check"
import { canceller, deleter, reader, starter, sweeper, writer } from "./actors.ts"
import { judge } from "./judge.ts"
import { createSimulatedRecords, type Faults, withUnreliableSnapshots } from "./records.ts"
import { createScheduler, type Scheduler } from "./scheduler.ts"
import { createWorld, type Variant, type World } from "./world.ts"

/** Number of participants of each kind. */
export interface Cast {
  starters: number
  sweepers: number
  cancellers: number
  deleters: number
  writers: number
  readers: number
  /** Probability that an executor's step is its last. */
  mortality: number
}

/** Participants and faults. Everything else follows from the seed. */
export interface Scenario extends Cast {
  seed: number
  faults: Faults
}

export interface Outcome {
  violations: string[]
  trace: string[]
  world: World
}

const rate = (max: number) => fc.integer({ min: 0, max }).map((percent) => percent / 100)

/**
 * Generates any cast, with fault rates up to the given percentage. Shrinks to the smallest scenario that still fails.
 */
export function scenarios({ faultsPercent }: { faultsPercent: number }): fc.Arbitrary<Scenario> {
  const often = rate(faultsPercent)
  return fc.record({
    seed: fc.noShrink(fc.integer({ min: 1, max: 2 ** 31 })),
    starters: fc.integer({ min: 1, max: 3 }),
    sweepers: fc.integer({ min: 0, max: 3 }),
    cancellers: fc.integer({ min: 0, max: 2 }),
    deleters: fc.integer({ min: 0, max: 1 }),
    writers: fc.integer({ min: 0, max: 2 }),
    readers: fc.integer({ min: 0, max: 2 }),
    mortality: rate(4),
    faults: fc.record({ lost: often, dropped: often, late: often, stalled: often }),
  })
}

const MANY = 20_000

/** Plays a scenario to its end, and judges the result. */
export async function simulate(scenario: Scenario, variant: Variant = {}): Promise<Outcome> {
  const scheduler = createScheduler(scenario.seed)
  const faults = { ...scenario.faults }
  const store = createSimulatedRecords(scheduler, faults)
  const snapshots: StoredRecord[] = []
  const machines = [createWakeups(), createWakeups()]
  const world = createWorld({
    sid: "session",
    scheduler,
    variant,
    records: (process) => withUnreliableSnapshots(store.connect(process), scheduler, snapshots),
    clock: (process) => ({
      now: scheduler.now,
      monotonic: scheduler.now,
      sleep: (ms, { signal }) => scheduler.sleep(process, ms, { signal }),
    }),
    wakeups: () => machines[Math.floor(scheduler.random() * 3)],
  })
  const logged = () => store.all(logName(world.sid))
  const stuck = await play(world, scheduler, scenario, faults, logged)
  return { violations: [...stuck, ...(await judge(world, logged()))], trace: scheduler.trace, world }
}

async function play(
  world: World,
  scheduler: Scheduler,
  scenario: Scenario,
  faults: Faults,
  logged: () => StoredRecord[],
): Promise<string[]> {
  const quiet = () => world.acting() === 0 && scheduler.tasks() === 0
  cast(world, scenario)
  if (!(await scheduler.run({ maxSteps: MANY, over: quiet }))) return ["liveness: a writer never comes to an end"]

  // Once the store works again, the remaining runs must end.
  Object.assign(faults, { lost: 0, dropped: 0, late: 0, stalled: 0 } satisfies Faults)
  scheduler.calmDown()
  for (let sweep = 0; sweep <= MAX_ATTEMPTS; sweep++) {
    world.act(`last-sweep${sweep}`, 0, (process) => sweeper(world, process, 0))
    if (!(await scheduler.run({ maxSteps: MANY, over: quiet }))) return ["liveness: a sweep never comes to an end"]
  }

  world.finalHead = headOf(logged())
  return (await scheduler.run({ maxSteps: MANY })) ? [] : ["liveness: a reader never gets to the head"]
}

export function headOf(records: StoredRecord[]): number {
  const last = records.at(-1)
  return last ? Number(last.key.sort) + Number(last.value.count) - 1 : 0
}

/** Starts all participants. `at` distinguishes the names of several places. */
export function cast(world: World, { mortality, ...roles }: Cast, at = ""): void {
  const each = (count: number, role: (nth: number) => void) => Array.from({ length: count }, (_, nth) => role(nth))
  each(roles.starters, (nth) => world.act(`start${nth}${at}`, 0, (process) => starter(world, process, mortality)))
  each(roles.sweepers, (nth) =>
    world.act(`sweep${nth}${at}`, mortality, (process) => sweeper(world, process, mortality)),
  )
  each(roles.cancellers, (nth) => world.act(`cancel${nth}${at}`, 0, (process) => canceller(world, process)))
  each(roles.deleters, (nth) => world.act(`delete${nth}${at}`, 0, (process) => deleter(world, process)))
  each(roles.writers, (nth) => world.act(`write${nth}${at}`, mortality, (process) => writer(world, process)))
  each(roles.readers, (nth) => world.watch(`read${nth}${at}`, (process) => reader(world, process)))
}
