import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { logName } from "@switchyard/core/kernel/keys"
import type { Records } from "@switchyard/core/storage/records"
import { MAX_ATTEMPTS } from "@switchyard/core/work/runs/rules"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { startDynamo } from "../emulators/dynamo.ts"
import { cases } from "../settings.ts"
import { sweeper } from "./actors.ts"
import { judge, type Testimony } from "./judge.ts"
import type { Round } from "./participant.ts"
import { createPlace, openStore, type RealStore } from "./place.ts"
import { headOf, scenarios } from "./simulate.ts"

const calm = { lost: 0, dropped: 0, late: 0, stalled: 0 }

interface Participant {
  child: ChildProcess
  /** Resolves to the participant's next message, or to undefined once it has exited. */
  hears(): Promise<unknown>
}

async function enlist(store: RealStore): Promise<Participant> {
  const module = new URL("participant.ts", import.meta.url)
  const child = fork(module, [JSON.stringify(store)], { serialization: "advanced" })
  const gone = once(child, "exit").then(() => undefined)
  const hears = () => Promise.race([once(child, "message").then(([message]) => message), gone])
  expect(await hears()).toBe("ready")
  return { child, hears }
}

/**
 * Plays a session that all participants share. With `doomedAt`, kills the first participant when the log has this many
 * events.
 */
async function play(records: Records, participants: Participant[], round: Round, doomedAt?: number): Promise<string[]> {
  const logged = () => Array.fromAsync(records.range(logName(round.sid)))
  const quiet = participants.map(({ child, hears }, nth) => {
    const heard = hears()
    child.send({ ...round, seed: round.seed + nth })
    return heard
  })
  const [doomed, ...others] = participants
  const alive = doomedAt === undefined ? participants : others
  if (doomedAt !== undefined && doomed) await killAt(doomed, async () => headOf(await logged()) >= doomedAt)
  await Promise.all(quiet)
  expect(alive.map(({ child }) => child.connected)).toEqual(alive.map(() => true))

  const { world, isQuiet } = createPlace(records, { ...round, faults: calm })
  for (let sweep = 0; sweep <= MAX_ATTEMPTS; sweep++) {
    world.act(`last-sweep${sweep}`, 0, (process) => sweeper(world, process, 0))
    while (!isQuiet()) await delay(5)
  }
  world.finalHead = headOf(await logged())
  const testimonies = alive.map(({ child, hears }) => {
    const heard = hears()
    child.send(world.finalHead ?? 0)
    return heard as Promise<Testimony>
  })
  return judge(together([...(await Promise.all(testimonies)), world]), await logged())
}

/** Kills the participant when `isTime` is true, or when it has nothing more to do. */
async function killAt({ child, hears }: Participant, isTime: () => Promise<boolean>): Promise<void> {
  let over = false
  void hears().then(() => (over = true))
  while (!over && !(await isTime())) await delay(1)
  const gone = once(child, "exit")
  child.kill("SIGKILL")
  await gone
}

function together(all: Testimony[]): Testimony {
  return {
    attempts: all.flatMap(({ attempts }) => attempts),
    decisions: all.flatMap(({ decisions }) => decisions),
    readings: all.flatMap(({ readings }) => readings),
    states: all.flatMap(({ states }) => states),
    finalHead: all.at(-1)?.finalHead,
  }
}

async function playRounds(
  store: RealStore,
  { rounds, places, kills }: { rounds: number; places: number; kills: boolean },
) {
  const records = openStore(store)
  const participants = await Promise.all(Array.from({ length: places }, () => enlist(store)))
  for (const [nth, { seed, faults, ...roles }] of fc
    .sample(scenarios({ faultsPercent: 15 }), { numRuns: rounds, seed: 4 })
    .entries()) {
    const doomed = kills && nth % 3 === 0 ? 3 + (nth % 5) : undefined
    const round = { sid: `session${nth}`, seed, roles: { ...roles, readers: roles.readers + 1 }, faults }
    expect(await play(records, participants, round, doomed)).toEqual([])
    if (doomed !== undefined) participants[0] = await enlist(store)
  }
  for (const { child } of participants) {
    child.send("leave")
    await once(child, "exit")
  }
  records.close()
}

it("keeps every promise to several processes on one SQLite file, some of which are killed", async () => {
  const directory = await mkdtemp(join(tmpdir(), "log-"))
  const store: RealStore = { kind: "sqlite", file: join(directory, "records.sqlite") }
  await playRounds(store, { rounds: cases({ usual: 9, deep: 24 }), places: 3, kills: true })
  await rm(directory, { recursive: true })
})

it("keeps every promise to several processes on one DynamoDB table", async () => {
  const dynamo = await startDynamo()
  const store: RealStore = { kind: "dynamo", config: dynamo.config, table: await dynamo.createTable() }
  await playRounds(store, { rounds: cases({ usual: 5, deep: 12 }), places: 3, kills: false })
  await dynamo.stop()
})
