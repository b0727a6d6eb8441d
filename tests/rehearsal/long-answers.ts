import { setTimeout as pause } from "node:timers/promises"
import { expect } from "vitest"
import { createClient } from "./client.ts"
import { expectDoneOnce } from "./judge.ts"
import type { Scenarios } from "./stage.ts"

/** Longer than a deployed `/generate` stays silent to its caller. */
const LONG_MS = 26_000

/** Scenarios of half a minute. Their waits are another process's timers, which no clock can hurry. */
export const longAnswers: Scenarios = {
  async "a /generate of half a minute is kept open with spaces until its JSON"({ cloud, model }) {
    const client = await createClient(cloud)
    model.watch("patient", (subject) => (subject === "plan" ? pause(LONG_MS) : undefined))
    const answer = await client.post("/generate", "patient")
    const body = await answer.text()
    expect([answer.status, body.slice(0, 1)]).toEqual([200, " "])
    const { runId } = await expectDoneOnce(cloud, "patient")
    expect(JSON.parse(body)).toMatchObject({ status: "DONE", run_id: runId, plan: { name: "List" } })
  },

  async "a /generate that fails after it began has the error for a body"({ cloud, model }) {
    const client = await createClient(cloud)
    model.watch("unlucky", async () => {
      await pause(LONG_MS)
      return { fail: { kind: "bad_key" } }
    })
    const answer = await client.post("/v1/workflows/run", "unlucky")
    const body = await answer.text()
    expect([answer.status, body.slice(0, 1)]).toEqual([200, " "])
    expect(JSON.parse(body)).toMatchObject({ error: { code: "workflow_error", details: { error_type: "auth_error" } } })
  },
}
