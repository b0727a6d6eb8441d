import type { Run } from "@switchyard/core/work/runs/schema"
import { describe, expect, it } from "vitest"
import { cases } from "../settings.ts"
import { follow, streams } from "./event-stream.ts"
import { call, postRun } from "./http.ts"
import { serveHere } from "./in-process.ts"
import { endsOf, eventFrames, expectSound, projectedFrames, readSession } from "./ledger.ts"
import { seeded, turns } from "./random.ts"
import { SMALL, SMALL_MODEL, smallModel } from "./small-project.ts"
import { tellingStores } from "./writes.ts"

const RACES = cases({ usual: 12, deep: 200 })
const AT_ONCE = 8

/** Number of a run's writes, in all and near its end. Most cancellations come near the end. */
const WRITES = { all: 58, end: 14 }

describe("a cancel that races the end of its run", () => {
  it(`has one outcome that everyone hears of, at ${RACES} instants`, async () => {
    const seeds = Array.from({ length: RACES }, (_, seed) => seed)
    const sessions = seeds.map((seed) => `race-${seed}`)
    const instants = new Map(seeds.map((seed) => [`race-${seed}`, instantOf(seed)]))
    const cancels = new Map<string, () => void>()
    await using here = await serveHere({
      scripted: smallModel(),
      wrapStores: (stores) =>
        tellingStores(stores, sessions, async (session, { nth }) => {
          const instant = instants.get(session)
          if (nth !== instant?.write) return
          cancels.get(session)?.()
          await turns(instant.holdTurns)
        }),
    })
    const { url } = here.server

    async function race(seed: number) {
      const session = `race-${seed}`
      const begun = Promise.withResolvers<string>()
      const cancelled: Promise<{ body: Run }[]> = new Promise((resolve, reject) => {
        const cancel = async () => {
          const runId = await begun.promise
          const ask = () => call<Run>(`${url}/v1/runs/${runId}/cancel`, { method: "POST" })
          return [...(await Promise.all([ask(), ask()])), await ask()]
        }
        cancels.set(session, () => cancel().then(resolve, reject))
      })
      const { body } = await postRun(url, { session, model: SMALL_MODEL })
      begun.resolve(body.run_id)
      const here = { url: async () => url }
      const told = await Promise.all([
        follow({ ...here, path: streams.stream.path(body.run_id), isLast: streams.stream.isLast }),
        follow({ ...here, path: streams.events.path(body.run_id), isLast: streams.events.isLast }),
      ])
      // If the instant never came, cancel after the end.
      cancels.get(session)?.()
      const answers = (await cancelled).map((answer) => answer.body)
      return {
        runId: body.run_id,
        session,
        told,
        answers,
        run: (await call<Run>(`${url}/v1/runs/${body.run_id}`)).body,
      }
    }

    const outcomes = { completed: 0, cancelled: 0 }
    async function check(seed: number) {
      const { runId, session, told, answers, run } = await race(seed)
      const where = `seed ${seed}: ${JSON.stringify(instants.get(session))}`
      const ledger = await readSession(here.stores, session)
      const { events, files } = ledger
      expectSound(ledger, where)
      const requests = events.filter(({ type }) => type === "run_cancel_requested")
      expect(requests.length, where).toBeLessThanOrEqual(1)
      const outcome = requests.length === 1 ? "cancelled" : "completed"
      outcomes[outcome]++

      expect(endsOf(events, runId), where).toMatchObject([{ type: `run_${outcome}` }])
      expect(run, where).toMatchObject({ status: outcome, cancel_requested: outcome === "cancelled" })
      for (const answer of answers) expect(answer.cancel_requested, where).toBe(outcome === "cancelled")
      expect(told[0].frames, where).toEqual(projectedFrames(events, runId, session))
      expect(told[0].frames.at(-1)?.event, where).toBe(outcome === "completed" ? "run_complete" : "error")
      expect(told[1].frames, where).toEqual(eventFrames(events, runId, session))
      const committed = events.filter(({ type }) => type === "workspace_committed").length
      expect(Object.keys(files), where).toEqual(SMALL.slice(0, committed))
    }

    for (let from = 0; from < RACES; from += AT_ONCE) await Promise.all(seeds.slice(from, from + AT_ONCE).map(check))
    expect(here.reported).toEqual([])
    // Both outcomes must be common, or the cancellations raced nothing.
    expect(outcomes.cancelled).toBeGreaterThan(RACES / 4)
    expect(outcomes.completed).toBeGreaterThan(RACES / 20)
  })
})

function instantOf(seed: number) {
  const random = seeded(seed)
  const early = seed % 4 === 0
  const write = early ? random.between(2, WRITES.all) : random.between(WRITES.all - WRITES.end, WRITES.all)
  return { write, holdTurns: random.between(0, 60) }
}
