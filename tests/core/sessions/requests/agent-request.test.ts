import { createConsents } from "@switchyard/core/agents/conversations/consents"
import { createStartConsents } from "@switchyard/core/agents/conversations/start-consents"
import { agentFields } from "@switchyard/core/agents/tasks/schema"
import type { NewEvent } from "@switchyard/core/events"
import { parseAgentRun } from "@switchyard/core/sessions/requests/agent-request"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { expect, it } from "vitest"
import * as z from "zod"
import { openStores } from "../../../fixtures/stores.ts"
import { stateAfter } from "../../kernel/folded.ts"
import { noSignal } from "../../log/store.ts"

const signal = noSignal()
const opened: NewEvent = { type: "session_opened", session_id: "s", incarnation: 1, repository: "/a" }

it("passes on consent to files that start programs for a caller who may weaken protections, and what was stored before", async () => {
  const stores = await openStores()
  const { records } = stores
  const index = createRunIndex(records)
  const startConsents = createStartConsents({ records, index, clock: { now: () => 0 } })
  const deps = {
    ...{ startConsents, consents: createConsents({ records, clock: { now: () => 0 } }) },
    agentAccounts: { choose: async () => ({ cli: "claude", account: null, model: null, reasoning: null }) },
    permissionRules: { rulesFor: async () => [] },
    setupConsents: { allowedFor: async () => ({}) },
    repositories: {
      setupFor: async () => undefined,
      verificationFor: async () => ({}),
      checksFor: async () => ({}),
      preferredAgentFor: async () => null,
    },
    settings: { verification: { read: async () => ({}) } },
    limitSettings: { planFor: async () => undefined },
    agents: { local: false },
  }
  const request = { task: "Do it.", repository: undefined, coding_agent: "claude" }
  async function inputFor(consent: boolean, mayLoosen: boolean) {
    const asked = { ...z.object(agentFields).parse({ coding_agent: "claude", consent }), ...request }
    const state = stateAfter([opened])
    return (await parseAgentRun(deps as never, "ada", asked, { state, mayLoosen, signal })).input
  }
  expect(await inputFor(true, true)).toMatchObject({ consent: true })
  expect(await inputFor(false, true)).not.toHaveProperty("consent")
  expect(await inputFor(true, false)).not.toHaveProperty("consent")
  expect(await inputFor(false, false)).not.toHaveProperty("consents")

  await index.add({ run_id: "run_1", owner: "ada", sid: "sid", session_id: "s", created_at: 0 }, { signal })
  const state = stateAfter([
    opened,
    { type: "start_files_allowed", run_id: "run_1", digest: "one", files: [".mcp.json"] },
  ])
  await startConsents.update({ state }, "run_1", { signal })
  expect(await inputFor(false, false)).toMatchObject({ consents: ["one"] })
  await stores.close()
})
