import { request } from "node:http"
import type { Run } from "@switchyard/core/work/runs/schema"
import { describe, expect, it } from "vitest"
import { ended } from "../ended.ts"
import { cases } from "../settings.ts"
import { failingStores, type StoreCall } from "./failing-stores.ts"
import { call, postRun } from "./http.ts"
import { serveHere } from "./in-process.ts"
import { expectSound, readSession } from "./ledger.ts"
import { seeded, turns } from "./random.ts"
import { SMALL_MODEL, smallModel } from "./small-project.ts"

const never = new Promise<never>(() => {})

async function runsOf(url: string): Promise<Run[]> {
  return (await call<{ runs: Run[] }>(`${url}/v1/runs?limit=100`)).body.runs
}

describe("a request for a run that is repeated under its key", () => {
  it("twenty times at once makes one run", async () => {
    const model = smallModel()
    await using here = await serveHere({ scripted: model })
    const { url } = here.server
    const post = () => postRun(url, { key: "same", model: SMALL_MODEL })
    const answers = await Promise.all(Array.from({ length: 20 }, post))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1)
    const run = await ended(async (path) => (await call<Run>(`${url}${path}`)).body, answers[0]?.body.run_id ?? "")
    expect(run.status).toBe("completed")
    expect(await runsOf(url)).toHaveLength(1)
    expect(model.requests.filter(({ output }) => output?.name === "plan")).toHaveLength(1)
    // The same answer comes long after the run's end.
    expect((await post()).body.run_id).toBe(run.run_id)
    expect(await runsOf(url)).toHaveLength(1)
  })

  it("after its reply was cut off, and by an impatient client meanwhile, makes one run", async () => {
    const seeds = Array.from({ length: cases({ usual: 10, deep: 60 }) }, (_, seed) => seed)
    await using here = await serveHere({ scripted: smallModel() })
    const { url } = here.server
    for (const seed of seeds) {
      const random = seeded(seed)
      const key = `key-${seed}`
      const session = seed % 2 === 0 ? `session-${seed}` : undefined
      const cut = cutOff(url, { key, session }, random.between(0, 40))
      if (seed % 3 === 0) await cut
      const answers = await Promise.all([
        postRun(url, { session, key, model: SMALL_MODEL }),
        postRun(url, { session, key, model: SMALL_MODEL }),
      ])
      await cut
      const [one, two] = answers.map(({ body }) => body.run_id)
      expect(two, `seed ${seed}`).toBe(one)
    }
    const runs = await runsOf(url)
    expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(runs.length)
    expect(runs).toHaveLength(seeds.length)
    for (const { workspace_id } of runs) expectSound(await readSession(here.stores, workspace_id), workspace_id)
  })

  it("while the store fails makes one run that can be found, whichever call fails", async () => {
    let failing: (call: StoreCall) => boolean = () => false
    await using here = await serveHere({
      scripted: smallModel(() => [never]),
      // The store takes a turn for each call, so simultaneous requests overlap.
      wrapStores: (stores) =>
        failingStores(stores, async (call) => {
          await turns(1)
          return failing(call) ? "before" : undefined
        }),
    })
    const { url } = here.server
    const ops = ["get", "put", "range"] as const
    const cases = ops.flatMap((op) => Array.from({ length: 16 }, (_, index) => ({ op, nth: index + 1 })))
    for (const { op, nth } of cases) {
      const session = `${op}-${nth}`
      const post = () => postRun(url, { session, key: session, model: SMALL_MODEL })
      let calls = 0
      failing = (call) => call.op === op && !call.at.includes("checkpoint") && ++calls === nth
      const answers = await Promise.all([post(), post()])
      failing = () => false
      for (const { status, body } of answers) {
        if (status === 503) continue
        const found = await call<Run>(`${url}/v1/runs/${body.run_id}`)
        expect({ status, found: found.body.run_id }, session).toEqual({ status: 201, found: body.run_id })
      }
      answers.push(await post())
      const runIds = answers.flatMap(({ status, body }) => (status === 201 ? body.run_id : []))
      expect(new Set(runIds).size, session).toBe(1)
      const { events } = await readSession(here.stores, session)
      expect(events.filter(({ type }) => type === "run_created").length, session).toBe(1)
    }
  })
})

/** Requests a run, and breaks the connection this many turns after the request was sent. */
async function cutOff(url: string, { key, session }: { key: string; session?: string }, afterTurns: number) {
  const headers = { "content-type": "application/json", "idempotency-key": key }
  const asked = request(`${url}/v1/runs`, { method: "POST", headers, agent: false })
  asked.on("error", () => {})
  asked.end(JSON.stringify({ user_prompt: "Make a list.", workspace_id: session, model: SMALL_MODEL }))
  await turns(afterTurns)
  asked.destroy()
}
