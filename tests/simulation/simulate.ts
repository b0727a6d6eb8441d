import { MAX_ATTEMPTS } from "@switchyard/core/runs/rules"
import { logName } from "@switchyard/core/sessions/keys"
import * as fc from "fast-check"
import { canceller, deleter, reader, starter, sweeper, writer } from "./actors.ts"
import { judge } from "./judge.ts"
import type { Faults } from "./records.ts"
import { createScheduler } from "./scheduler.ts"
import { createWorld, type Variant, type World } from "./world.ts"

/** Who takes part, and what goes wrong. Whatever else happens follows from the seed. */
export interface Scenario {
  seed: number
  starters: number
  sweepers: number
  cancellers: number
  deleters: number
  writers: number
  readers: number
  /** How likely each step of an executor is to be its last. */
  mortality: number
  faults: Faults
}

export interface Outcome {
  violations: string[]
  steps: number
  trace: string[]
  world: World
}

const rate = (max: number) => fc.integer({ min: 0, max }).map((percent) => percent / 100)

/** Any cast, and any weather up to the given one. Shrinks to the fewest that still get into trouble. */
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

/** Plays a scenario to its end, and judges what is left. */
export async function simulate(scenario: Scenario, variant: Variant = {}): Promise<Outcome> {
  const scheduler = createScheduler(scenario.seed)
  const faults = { ...scenario.faults }
  const world = createWorld(scheduler, faults, variant)
  const stuck = await play(world, scenario, faults)
  return {
    violations: [...stuck, ...(await judge(world))],
    steps: scheduler.trace.length,
    trace: scheduler.trace,
    world,
  }
}

async function play(world: World, scenario: Scenario, faults: Faults): Promise<string[]> {
  const { scheduler } = world
  const quiet = () => world.acting() === 0 && scheduler.tasks() === 0
  cast(world, scenario)
  if (!(await scheduler.run({ maxSteps: MANY, over: quiet }))) return ["liveness: a writer never comes to an end"]

  // What was left lying must still come to an end, once the store is well again.
  Object.assign(faults, { lost: 0, dropped: 0, late: 0, stalled: 0 } satisfies Faults)
  scheduler.calmDown()
  for (let sweep = 0; sweep <= MAX_ATTEMPTS; sweep++) {
    world.act(`last-sweep${sweep}`, 0, (process) => sweeper(world, process, 0))
    if (!(await scheduler.run({ maxSteps: MANY, over: quiet }))) return ["liveness: a sweep never comes to an end"]
  }

  const last = world.stored(logName(world.sid)).at(-1)
  world.finalHead = last ? Number(last.key.sort) + Number(last.value.count) - 1 : 0
  return (await scheduler.run({ maxSteps: MANY })) ? [] : ["liveness: a reader never gets to the head"]
}

function cast(world: World, { mortality, ...scenario }: Scenario): void {
  const each = (count: number, role: (nth: number) => void) => Array.from({ length: count }, (_, nth) => role(nth))
  each(scenario.starters, (nth) => world.act(`start${nth}`, 0, (process) => starter(world, process, mortality)))
  each(scenario.sweepers, (nth) => world.act(`sweep${nth}`, mortality, (process) => sweeper(world, process, mortality)))
  each(scenario.cancellers, (nth) => world.act(`cancel${nth}`, 0, (process) => canceller(world, process)))
  each(scenario.deleters, (nth) => world.act(`delete${nth}`, 0, (process) => deleter(world, process)))
  each(scenario.writers, (nth) => world.act(`write${nth}`, mortality, (process) => writer(world, process)))
  each(scenario.readers, (nth) => world.watch(`read${nth}`, (process) => reader(world, process)))
}
