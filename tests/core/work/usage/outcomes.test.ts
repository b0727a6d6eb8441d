import type { NewEvent } from "@switchyard/core/events"
import { createNewId } from "@switchyard/core/ids"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { createLog } from "@switchyard/core/log/log"
import { sessionFold } from "@switchyard/core/state"
import { systemClock as clock } from "@switchyard/core/time"
import { createOutcomeLog } from "@switchyard/core/work/usage/outcomes"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openStores, type Stores } from "../../../fixtures/stores.ts"
import { never as signal } from "../../../settings.ts"
import { created, opened } from "../../kernel/folded.ts"

let stores: Stores
let lines: Record<string, unknown>[]
beforeEach(async () => {
  stores = await openStores()
  lines = []
})
afterEach(() => stores.close())

const run = { run_id: "run_1", agent_id: "main" }
const failed = (error_type: string): NewEvent => ({
  ...{ type: "run_failed", ...run, duration_ms: 7, error_type, message: "It failed.", hint: "Try again." },
})

/** Appends these batches to a session's log, with an outcome log that writes to `lines`. */
async function append(...batches: NewEvent[][]) {
  const onAppended = createOutcomeLog((kind, fields) => lines.push({ kind, ...fields }))
  const log = createLog({ ...stores, clock })
  const deps = { ...stores, clock, newId: createNewId(), fold: sessionFold, writer: "test", log, onAppended }
  const session = await openSessionLog(deps, "one", { signal })
  for (const batch of batches) await session.decide(() => batch, { signal })
}

it("is logged once, by the process that ends the run, with what the run used", async () => {
  const usage = { input: 1_000_000, cache_read: null, cache_write: null, output: 10 }
  const used: NewEvent = { type: "model_usage", ...run, model: "anthropic/claude-sonnet-4-5", usage }
  const completed: NewEvent = { type: "run_completed", ...run, duration_ms: 5, workspace_version: 0 }
  await append([opened(), created()], [used], [completed])
  await append()
  expect(lines).toEqual([
    {
      ...{ kind: "outcome", sid: "one", run_id: "run_1", run_kind: "workflow", status: "completed", fault: false },
      ...{ duration_ms: 5, tokens: 1_000_010, usd: expect.closeTo(3, 2) },
    },
  ])
})

it("tells failures of the installation from those of a task", async () => {
  const types = ["provider_error", "executor_lost", "not_verified", "invalid_request"]
  for (const [index, type] of types.entries())
    await append([...(index === 0 ? [opened()] : []), created()], [failed(type)])
  expect(lines.map(({ status, error_type, fault }) => [status, error_type, fault])).toEqual([
    ["failed", "provider_error", true],
    ["failed", "executor_lost", true],
    ["failed", "not_verified", false],
    ["failed", "invalid_request", false],
  ])
})
