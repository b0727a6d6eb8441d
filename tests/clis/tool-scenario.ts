import assert from "node:assert/strict"
import type { Peers } from "@switchyard/core/agents/conversations/peers"
import type { PermissionPolicy } from "@switchyard/core/agents/permissions/decide"
import { openToolEndpoint } from "@switchyard/runner/tools/endpoint"
import { peerTools } from "@switchyard/runner/tools/peer-tools"
import { ruledTools } from "@switchyard/runner/tools/ruled-tools"
import { serveTools } from "@switchyard/runner/tools/serve-tools"
import { describe, type Scenario, type Stage } from "./scenarios.ts"

const ANSWER = "The store is in src/store.ts, says ben."

/**
 * The agent calls the session's tools that its model requests, and the model gets the answers. No permission is asked.
 */
const toolScenario: Scenario = {
  name: "lists, asks and starts other agents by the tools of its session, unasked",
  async run(stage) {
    const { shop, model } = stage
    const { called, end } = await callTools(stage, { mode: "ask", rules: [] })
    const seen = `${JSON.stringify(called)} ${describe(shop)}`
    assert.deepEqual(end.outcome, { type: "completed" }, seen)
    const expected = [["list"], ["ask", "ben", "Where is the store?"], ["spawn", "own", "carl", "Write the docs."]]
    assert.deepEqual(called, expected, seen)
    for (const answer of ["ben-is-idle", ANSWER, "carl-is-there"]) assert.ok(model.told.includes(answer), answer)
    assert.deepEqual(shop.of("question_asked"), [], seen)
    const uses = shop.of("tool_call_started").filter(({ tool }) => tool === "mcp")
    assert.equal(uses.length, called.length, seen)
  },
}

/** Most programs call the session's tools without asking, so the tools check the rules themselves. */
const ruledToolScenario: Scenario = {
  name: "reaches no other agent by the tools of its session, if a rule denies them",
  async run(stage) {
    const { called } = await callTools(stage, { mode: "bypass", rules: [{ tool: "mcp", effect: "deny" }] })
    const { shop, model } = stage
    assert.deepEqual(called, [], describe(shop))
    assert.ok(model.told.includes("A rule forbids this."), model.told.slice(-2000))
    assert.deepEqual(shop.of("question_asked"), [], describe(shop))
  },
}

export const toolScenarios = [toolScenario, ruledToolScenario]

async function callTools({ shop, model, work }: Stage, policy: PermissionPolicy) {
  const called: unknown[] = []
  await using endpoint = await openToolEndpoint({ report: (error) => shop.reported.push(error) })
  const signal = new AbortController().signal
  const timeout = (ms: number) => AbortSignal.timeout(ms)
  const people = { permit: async () => undefined }
  const rules = { policy: () => shop.deps.decisions.policy, people, timeout }
  const tools = ruledTools(peerTools(peersThatAnswer(called), { timeout }), rules)
  using address = endpoint.open(serveTools({ tools, signal, report: (error) => shop.reported.push(error) }))
  shop.deps.decisions.begin(policy)
  model.script = [
    [{ tool: "list_agents", args: {} }],
    [{ tool: "ask_agent", args: { name: "ben", prompt: "Where is the store?" } }],
    [{ tool: "spawn_worktree", args: { name: "carl", prompt: "Write the docs." } }],
  ]
  return { called, end: await work(undefined, null, address) }
}

/** Returns the session behind the tools, which records its calls. */
function peersThatAnswer(called: unknown[]): Peers {
  const answers = {
    list: async () => {
      called.push(["list"])
      return [{ name: "ben", status: "ben-is-idle" }]
    },
    ask: async (name: string, prompt: string) => {
      called.push(["ask", name, prompt])
      return { result: "answered", answer: ANSWER }
    },
    spawn: async (where: string, { name, prompt }: { name: string; prompt?: string }) => {
      called.push(["spawn", where, name, prompt])
      return { name, note: "carl-is-there" }
    },
  }
  return answers as unknown as Peers
}
