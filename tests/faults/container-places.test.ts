import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest"
import { type Containers, openContainers } from "./containers.ts"
import { endsOf, expectSound } from "./ledger.ts"

/** Longer than any test, so a container that leaves was asked to make room. */
const LONG_IDLE_MS = 600_000

let cloud: Containers
beforeAll(async () => {
  cloud = await openContainers({ env: { RUNNERS_AT_ONCE: "1" }, idleMs: LONG_IDLE_MS })
})
beforeEach(() => void vi.spyOn(process.stdout, "write").mockReturnValue(true))
afterAll(() => cloud.close())

async function open() {
  const { id } = (await cloud.call("POST", "/api/v1/sessions", {})).body
  const sid = cloud.sidOf(id)
  const runOf = async (run: string) => (await cloud.call("GET", `/v1/runs/${run}`)).body
  return {
    ...{ id, sid, runOf },
    async begin(knobs: object): Promise<string> {
      const json = { coding_agent: "mock", task_description: `mock: ${JSON.stringify(knobs)}` }
      return (await cloud.call("POST", `/api/v1/sessions/${id}/tasks`, json)).body.task_id
    },
    reaches: (run: string, expected: object) =>
      expect.poll(() => runOf(run), { interval: 100 }).toMatchObject(expected),
    /** Expects a sound session in which each of these runs has ended once. */
    async sound(...runs: string[]) {
      const ledger = await cloud.read(id)
      expectSound(ledger, id)
      for (const run of runs) expect(endsOf(ledger.events, run)).toMatchObject([{ type: "run_completed" }])
      return ledger
    },
  }
}

it("says how many wait before a run, as long as it waits for a container", async () => {
  const [first, second, third] = [await open(), await open(), await open()]
  const hangs = await first.begin({ hangs: true })
  await first.reaches(hangs, { status: "running", waiting_before: null })
  const middle = await second.begin({ files: { "a.txt": "a\n" } })
  await second.reaches(middle, { status: "queued", waiting_before: 0 })
  const last = await third.begin({ files: { "a.txt": "a\n" } })
  await third.reaches(last, { status: "queued", waiting_before: 1 })
  await cloud.call("POST", `/v1/runs/${hangs}/cancel`)
  await second.reaches(middle, { status: "completed", waiting_before: null })
  await third.reaches(last, { status: "completed", waiting_before: null })
  // The run's answer contains an estimate of the machine's cost.
  const { cost } = await second.runOf(middle)
  expect(cost).toMatchObject({ machine_seconds: expect.any(Number), machine_usd: expect.any(Number) })
  expect(cost.machine_usd).toBeGreaterThan(0)
  await second.sound(middle)
  await third.sound(last)
})

it("has a container that has nothing to do leave for those who wait, and loses nothing that it is given meanwhile", async () => {
  const [first, second, third] = [await open(), await open(), await open()]
  const done = await first.begin({ files: { "a.txt": "a\n" } })
  await first.reaches(done, { status: "completed" })
  const others = [second, third]
  const waiting = await Promise.all(others.map((one) => one.begin({ files: { "b.txt": "b\n" } })))
  // This task may arrive before or after the container is asked to leave.
  const given = await first.begin({ commands: ["cp a.txt copy.txt"] })
  await first.reaches(given, { status: "completed" })
  for (const [index, one] of others.entries()) await one.reaches(waiting[index] as string, { status: "completed" })
  const { files } = await first.sound(done, given)
  expect(files).toMatchObject({ "a.txt": "a\n", "copy.txt": "a\n" })
  for (const [index, one] of others.entries()) await one.sound(waiting[index] as string)
})
