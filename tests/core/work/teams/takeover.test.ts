import type { Message } from "@switchyard/core/models/provider"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openStores, type Stores } from "../../../fixtures/stores.ts"
import { cases } from "../../../settings.ts"
import { mortal } from "../mortal-stores.ts"
import { openTeamBench, type TeamBench } from "./team-bench.ts"
import { modelOfTeam } from "./team-model.ts"

let stores: Stores
beforeAll(async () => {
  stores = await openStores()
})
afterAll(() => stores.close())

const published = { "a.txt": "This is a.\n", "b.txt": "This is b.\n" }
const files = {
  ...published,
  "nodes/a/published/a.txt": published["a.txt"],
  "nodes/b/published/b.txt": published["b.txt"],
}

/** Returns the roles of each run's messages, and the events that the messages report. */
async function conversationsOf(bench: TeamBench) {
  const parts = await bench.eventsOf("conversation_extended")
  const byRun = Map.groupBy(parts, ({ run_id }) => run_id)
  return [...byRun.values()].map((events) => ({
    roles: events.flatMap(({ messages }) => (messages as Message[]).map(({ role }) => role)).join(" "),
    tells: events.flatMap(({ tells = [] }) => tells),
  }))
}

async function expectDoneOnce(bench: TeamBench, where: string) {
  const { team, runs } = await bench.state()
  expect(
    Object.values(runs.byId).map(({ status }) => status),
    where,
  ).toEqual(["completed", "completed", "completed"])
  expect(await bench.files(), where).toEqual(files)
  const completed = await bench.eventsOf("work_node_completed")
  expect(
    completed.map(({ node_id }) => node_id),
    where,
  ).toEqual(["a", "b"])
  expect(
    (await bench.eventsOf("work_node_started")).map(({ node_id }) => node_id),
    where,
  ).toEqual(["a", "b"])
  expect((await bench.eventsOf("workspace_committed")).length, where).toBe(3)
  for (const type of ["team_finished", "worker_spawned"] as const) {
    expect((await bench.eventsOf(type)).length, `${where}: ${type}`).toBe(1)
  }
  expect(
    Object.values(team?.nodes ?? {}).map(({ status }) => status),
    where,
  ).toEqual(["completed", "completed"])
}

describe("a process that executes a team and dies", () => {
  it.each(["lost", "done"] as const)(
    "at any of its writes (the last one %s) leaves it to another, which repeats and forgets nothing",
    async (lastWrite) => {
      const whole = await openTeamBench(stores)
      await whole.start()
      await whole.drive(modelOfTeam())
      await expectDoneOnce(whole, "without a kill")
      const expected = await conversationsOf(whole)
      const step = cases({ usual: 5, deep: 1 })
      for (let nth = 1; ; nth += step) {
        const where = `killed at write ${nth}`
        const bench = await openTeamBench(stores)
        await bench.start()
        const { on, writes } = mortal(stores, nth, lastWrite)
        // Depending on the write, a dying executor fails or only reports its death.
        await bench.drive(modelOfTeam(), { on }).catch(() => {})
        const isDead = writes() >= nth
        for (let again = 0; again < 3 && isDead; again++) {
          await bench.recover()
          await bench.drive(modelOfTeam())
        }
        await expectDoneOnce(bench, where)
        const conversations = await conversationsOf(bench)
        expect(
          conversations.map(({ roles }) => roles),
          where,
        ).toEqual(expected.map(({ roles }) => roles))
        const told = conversations.flatMap(({ tells }) => tells)
        expect(new Set(told).size, where).toBe(told.length)
        if (!isDead) {
          expect(nth).toBeGreaterThan(40)
          break
        }
      }
    },
    120_000,
  )
})
