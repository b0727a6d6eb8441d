import { createNewId } from "@switchyard/core/ids"
import { createLog } from "@switchyard/core/log/log"
import { createDueList } from "@switchyard/core/runs/due"
import { createRun } from "@switchyard/core/runs/rules"
import { createRunKeys } from "@switchyard/core/runs/run-keys"
import { sweep } from "@switchyard/core/runs/sweep"
import { inOpenSession } from "@switchyard/core/sessions/rules"
import { openSessionLog } from "@switchyard/core/sessions/session-log"
import { expect, it } from "vitest"
import { openStores } from "../../fixtures/stores.ts"
import { created } from "../sessions/folded.ts"

const { signal } = new AbortController()
const sealer = { seal: () => new Uint8Array(), open: () => "" }

it("gives a runner that is on its way the time that it takes there, counted from the last word of it", async () => {
  const stores = await openStores()
  let now = 1_000_000
  const clock = { now: () => now, monotonic: () => now, sleep: async () => {} }
  const log = createLog({ ...stores, clock })
  const base = { ...stores, clock, log, newId: createNewId(), writer: "test", due: createDueList(stores.records) }
  const session = await openSessionLog(base, "sid", { signal })
  await session.decide(inOpenSession("s", createRun({ ...created(), kind: "agent" })), { signal })
  await base.due.add({ kind: "run", sid: "sid", run_id: "run_1" }, now, { signal })

  const launches: number[] = []
  const nothing = async () => {}
  const deps = {
    ...base,
    keys: createRunKeys(stores.records, sealer, clock.now),
    launcher: { start: async () => void launches.push(now - 1_000_000), agentStartMs: 180_000 },
    ...{ forgetRun: nothing, sweepSession: nothing, sweepArchive: nothing },
    report: (error: unknown) => expect.unreachable(String(error)),
  }
  const sweepAt = async (ms: number) => {
    now = 1_000_000 + ms
    await sweep(deps, { signal })
  }
  await sweepAt(170_000)
  const awaited = { type: "runner_awaited" as const, generation: 1, attempt: 1, phase: "pending" as const }
  await session.decide(() => [{ ...awaited, run_id: "run_1", agent_id: "main" }], { signal })
  await sweepAt(190_000)
  await sweepAt(340_000)
  await sweepAt(351_000)
  expect(launches).toEqual([351_000])
  await stores.close()
})
