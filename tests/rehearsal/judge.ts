import { sessionKey } from "@switchyard/core/ids"
import { expect } from "vitest"
import { endsOf, expectSound, readSession, stepsOf } from "../faults/ledger.ts"
import { FILES, stepOf, WHOLE } from "../faults/project.ts"
import type { Cloud } from "./cloud.ts"

/** Owner of the sessions that the judge reads. */
export const OWNER = "local"

export const sidOf = (workspace: string) => sessionKey(OWNER, workspace)

/**
 * Expects a session's only run to have completed once, with nothing missing or doubled, and each file written once and
 * correct.
 */
export async function expectDoneOnce({ stores }: Cloud, workspace: string) {
  const ledger = await readSession(stores, workspace)
  const { events, files } = ledger
  const created = events.filter(({ type }) => type === "run_created")
  expect(created).toHaveLength(1)
  const runId = created[0]?.run_id ?? ""
  expectSound(ledger, workspace)
  expect(endsOf(events, runId).map(({ type }) => type)).toEqual(["run_completed"])
  expect(stepsOf(events)).toEqual(FILES.map(stepOf))
  expect(files).toEqual(WHOLE)
  return { runId, events, types: events.map(({ type }) => type) }
}
