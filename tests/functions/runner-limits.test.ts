import { afterEach, expect, it } from "vitest"
import { switchyard } from "../cli/spawn.ts"
import { itDeep } from "../depth.ts"
import { openSession } from "./agents/worktree-session.ts"
import { startServer, type TestServer } from "./server.ts"

let server: TestServer
afterEach(() => server.close())

const HANGS = { hangs: true }

async function give(knobs: object): Promise<{ id: string; run: string }> {
  const { id } = await openSession(server)
  const task_description = `Do it. mock: ${JSON.stringify(knobs)}`
  const { body } = await server.call("POST", `/api/v1/sessions/${id}/tasks`, {
    json: { coding_agent: "mock", task_description },
  })
  return { id, run: body.task_id }
}

const runOf = async ({ run }: { run: string }) => (await server.call("GET", `/v1/runs/${run}`)).body
const cancel = ({ run }: { run: string }) => server.call("POST", `/v1/runs/${run}/cancel`)
const eventsOf = async ({ run }: { run: string }) => (await server.call("GET", `/v1/runs/${run}/events`)).body.events

async function running(given: { run: string }): Promise<void> {
  for (;;) {
    const { status } = await runOf(given)
    if (status === "running") return
    if (status !== "queued") throw new Error(`The run is ${status}.`)
  }
}

it("has runs wait for a place, says how many are before them, and starts them when one is free", async () => {
  server = await startServer({ env: { RUNNERS_AT_ONCE: "1" } })
  const first = await give(HANGS)
  await running(first)
  const second = await give({ files: { "a.txt": "a\n" } })
  const third = await give({ files: { "a.txt": "a\n" } })
  const dropped = await give(HANGS)
  const fourth = await give({ files: { "a.txt": "a\n" } })
  const waiting = await Promise.all([first, second, third, fourth].map(runOf))
  expect(waiting.map((run) => [run.status, run.waiting_before])).toEqual([
    ["running", null],
    ["queued", 0],
    ["queued", 1],
    ["queued", 3],
  ])
  expect(await eventsOf(third)).toMatchObject([
    { type: "run_created" },
    { type: "runner_awaited", phase: "waiting", reason: expect.stringContaining("1 session ahead") },
  ])
  const { stdout } = await switchyard(["status", third.run], { url: server.url })
  expect(stdout).toContain("Waiting for a runner: 1 session ahead of this one.")
  // A waiting run can be cancelled and then takes no slot.
  expect((await cancel(dropped)).body.status).toBe("cancelled")
  await cancel(first)
  for (const run of [second, third, fourth]) expect(await server.ended(run.run)).toMatchObject({ status: "completed" })
  const reasons = (await eventsOf(third)).flatMap(({ reason }: { reason?: string }) => reason ?? [])
  expect(reasons.map((reason: string) => /\d/.exec(reason)?.[0])).toEqual(["1", "0"])
  // The run started when earlier runners left. They wait five minutes only if no run needs their slots.
  const types = (await eventsOf(fourth)).map(({ type }: { type: string }) => type)
  expect(types).not.toContain("run_relaunched")
  expect(server.reported).toEqual([])
})

it("lets no owner take all places", async () => {
  server = await startServer({ env: { RUNNERS_AT_ONCE: "9", RUNNERS_PER_OWNER: "1" } })
  const first = await give(HANGS)
  await running(first)
  const second = await give(HANGS)
  expect(await runOf(second)).toMatchObject({ status: "queued", waiting_before: 0 })
  await cancel(second)
  await cancel(first)
})

itDeep("loses no run that waits when the server stops", async () => {
  server = await startServer({ env: { RUNNERS_AT_ONCE: "1" } })
  const first = await give(HANGS)
  await running(first)
  const second = await give({ files: { "a.txt": "a\n" } })
  for (let restarts = 0; restarts < 4; restarts++) {
    await server.stop()
    server = await startServer({ after: server, env: { RUNNERS_AT_ONCE: "1" } })
    await running(first)
    let status = await runOf(second)
    while (status.waiting_before === null) status = await runOf(second)
    expect(status).toMatchObject({ status: "queued", waiting_before: 0 })
  }
  await cancel(first)
  expect(await server.ended(second.run)).toMatchObject({ status: "completed" })
})
