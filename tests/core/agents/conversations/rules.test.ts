import { AgentName } from "@switchyard/core/agents/conversations/agent-schema"
import { describeAgent } from "@switchyard/core/agents/conversations/agent-view"
import { deliverMessages, type Message, waitsFor } from "@switchyard/core/agents/conversations/delivery"
import {
  type AgentChange,
  type CreatedAgent,
  changeAgent,
  closeAgent,
  createAgent,
  findAgent,
  queueMessage,
} from "@switchyard/core/agents/conversations/rules"
import { MAX_AGENTS, namedAgent, openAgent, openAgents } from "@switchyard/core/agents/conversations/state"
import { permissionsOf } from "@switchyard/core/agents/questions/state"
import type { NewEvent } from "@switchyard/core/events"
import type { Rule } from "@switchyard/core/kernel/session-log"
import type { SessionState } from "@switchyard/core/state"
import { createRun } from "@switchyard/core/work/runs/admission"
import { activeRun, activeRuns, liveRuns } from "@switchyard/core/work/runs/state"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../../../settings.ts"
import { completed, created, opened, stateAfter, verdict } from "../../kernel/folded.ts"

const program = { cli: "mock" as const, account: null, model: null, reasoning: null }
const helper: CreatedAgent = { agentId: "agt_1", name: "helper", program, mode: "ask", worktree: "own" }
const empty = stateAfter([opened()])

/** Returns the state after these rules in turn. A refused rule changes nothing. */
function afterRules(state: SessionState, ...rules: Rule[]): SessionState {
  return rules.reduce((current, rule) => {
    const said = rule(current)
    return Array.isArray(said) ? stateAfter(said, { state: current }) : current
  }, state)
}

const say = (agentId: string, messageId: string, content = messageId) =>
  queueMessage(agentId, { messageId, content, source: "api" })

/** Delivers an agent's waiting messages. */
function deliver(agentId: string, runId: string, maxActive?: number): Rule {
  return (state) => deliverMessages(agentId, { runId, messages: queueOf(state, agentId), maxActive })(state)
}

function queueOf(state: SessionState, agentId: string): Message[] {
  const { queue } = findAgent(state, agentId)
  return queue.map((one) => ({ ...one, content: one.messageId, displayAs: undefined, source: "api" }))
}

const ended = (run_id: string, agent_id: string): NewEvent => ({ ...completed(), run_id, agent_id }) as NewEvent
const withHelper = afterRules(empty, createAgent(helper))

describe("an agent", () => {
  it("has a worktree of its own, its mode, and is found by its id and its name", () => {
    const agent = findAgent(withHelper, "HELPER")
    expect(agent).toMatchObject({ agentId: "agt_1", name: "helper", worktree: "helper", program })
    expect(namedAgent(withHelper, "agt_1")).toEqual(agent)
    expect(permissionsOf(withHelper, "agt_1").mode).toBe("ask")
    expect(openAgents(withHelper).map(({ agentId }) => agentId)).toEqual(["main", "agt_1"])
  })

  it("is refused a name that another has, whatever its case, and the id of one", () => {
    for (const name of ["helper", "Helper", "agt_1"]) {
      const other = createAgent({ ...helper, agentId: "agt_2", name })
      expect(other(withHelper)).toMatchObject({ code: "agent_exists", details: { agent_id: "agt_1" } })
    }
    expect(verdict(createAgent(helper), withHelper)).toEqual([])
    const two = afterRules(withHelper, createAgent({ ...helper, agentId: "agt_2", name: "other" }))
    expect(verdict(changeAgent("agt_2", { name: "HELPER" }), two)).toBe("agent_exists")
    expect(verdict(changeAgent("agt_2", { name: "Other" }), two)).toEqual(["agent_renamed"])
  })

  it("may not be called what stands for something else", () => {
    for (const name of [
      "main",
      "All",
      "chat",
      "coordinator",
      "human",
      "checks",
      `agt_${"0".repeat(26)}`,
      "-x",
      "a/b",
      "",
    ])
      expect(AgentName.safeParse(name).success, name).toBe(false)
    for (const name of ["reviewer", "api-2", "a.b_c"]) expect(AgentName.safeParse(name).success, name).toBe(true)
  })

  it("shares the session's worktree or another's if that is wanted, and gets a free name for its own", () => {
    const shared = afterRules(empty, createAgent({ ...helper, worktree: "shared" }))
    expect(findAgent(shared, "helper").worktree).toBe("main")
    const used = afterRules(withHelper, closeAgent("agt_1", "x"), (state) => createRun(taskOf("old", "Helper"))(state))
    const again = afterRules(used, createAgent({ ...helper, agentId: "agt_2" }))
    expect(findAgent(again, "helper").worktree).toBe("helper-2")
    const alike = createAgent({ ...helper, agentId: "agt_3", name: "x", worktree: "HELPER-2" })
    expect(verdict(alike, again)).toBe("task_invalid")
  })

  it("changes only what is another value", () => {
    const changes: [AgentChange, string[]][] = [
      [{ name: "helper", program: { ...program }, mode: "ask", draft: "" }, []],
      [{ mode: "plan" }, ["agent_mode_changed"]],
      [{ program: { ...program, model: "m" } }, ["agent_program_changed"]],
      [{ draft: "Hm" }, ["agent_draft_changed"]],
    ]
    for (const [change, types] of changes) expect(verdict(changeAgent("agt_1", change), withHelper)).toEqual(types)
    const drafted = afterRules(withHelper, changeAgent("agt_1", { draft: "Hm" }))
    expect(findAgent(drafted, "helper").draftSeq).toBe(drafted.head)
    expect(findAgent(afterRules(drafted, changeAgent("agt_1", { draft: "" })), "helper").draftSeq).toBeNull()
  })

  it("named main is always there, keeps its name, and can't be closed", () => {
    expect(verdict(closeAgent("main", "x"), empty)).toBe("validation_error")
    expect(verdict(changeAgent("main", { name: "boss" }), empty)).toBe("validation_error")
    expect(openAgent(empty, "main")).toMatchObject({ name: "main", program: null })
    expect(verdict(say("main", "m1"), empty)).toBe("task_invalid")
    const set = afterRules(empty, changeAgent("main", { program }))
    expect(verdict(say("main", "m1"), set)).toEqual(["agent_message_queued"])
  })

  it("that tasks name has the program of the last, and leaves when too many others came", () => {
    const tasks = Array.from({ length: MAX_AGENTS + 10 }, (_, index) => `task-agent-${index}`)
    const state = tasks.reduce(
      (before, name) => stateAfter([taskOf(name, "main"), ended(`run_${name}`, name)], { state: before }),
      withHelper,
    )
    expect(Object.keys(state.agents.open)).toHaveLength(MAX_AGENTS)
    expect(namedAgent(state, "task-agent-0")).toBeUndefined()
    expect(findAgent(state, tasks.at(-1) ?? "")).toMatchObject({ program, isCreated: false, worktree: "main" })
    expect(findAgent(state, "helper").agentId).toBe("agt_1")
    expect(verdict(createAgent({ ...helper, agentId: "agt_2", name: "one-more" }), state)).toBe("limit_reached")
  })

  it("that was closed gets no message and no task, and isn't remembered for ever", () => {
    const closed = afterRules(withHelper, say("agt_1", "m1"), closeAgent("agt_1", "x"))
    expect(verdict(say("agt_1", "m2"), closed)).toBe("agent_closed")
    expect(verdict(createRun(taskOf("agt_1", "main")), closed)).toBe("agent_closed")
    expect(verdict(closeAgent("agt_1", "x"), closed)).toEqual([])
    expect(describeAgent(closed, findAgent(closed, "agt_1"), {})).toMatchObject({ status: "closed", queued: 0 })
    const many = Array.from({ length: 60 }, (_, index) => index).reduce(
      (state, index) =>
        afterRules(
          state,
          createAgent({ ...helper, agentId: `agt_x${index}`, worktree: "shared" }),
          closeAgent(`agt_x${index}`, "x"),
        ),
      closed,
    )
    expect(many.agents.closed).toHaveLength(MAX_AGENTS)
    expect(JSON.stringify(many.agents).length).toBeLessThan(24_000)
  })
})

describe("a message", () => {
  it("waits among twenty at most, and counts once, however often it is sent", () => {
    const full = afterRules(withHelper, ...Array.from({ length: 20 }, (_, index) => say("agt_1", `m${index}`)))
    expect(say("agt_1", "m20")(full)).toMatchObject({ code: "queue_full", details: { queued: 20 } })
    expect(verdict(say("agt_1", "m7"), full)).toEqual([])
    const delivered = afterRules(full, deliver("agt_1", "run_1"))
    expect(verdict(say("agt_1", "m7"), delivered)).toEqual([])
    expect(verdict(say("agt_1", "m20"), delivered)).toEqual(["agent_message_queued"])
  })

  it("becomes a turn with all that wait, in the order in which they came, in the batch of its run", () => {
    const waiting = afterRules(withHelper, say("agt_1", "first"), say("agt_1", "second"))
    const said = deliver("agt_1", "run_1")(waiting)
    if (!Array.isArray(said)) return expect.unreachable(said.message)
    expect(said.map(({ type }) => type)).toEqual([
      "run_created",
      "agent_message_delivered",
      "user_message",
      "user_message",
    ])
    expect(said[0]).toMatchObject({
      agent_id: "agt_1",
      worktree: "helper",
      program,
      input: { messages: ["first", "second"] },
    })
    expect(said[0]).toMatchObject({
      input: { task: expect.stringMatching(/answer once\.\n\n1\. first\n\n2\. second$/) },
    })
    expect(said[1]).toMatchObject({ run_id: "run_1", message_ids: ["first", "second"] })
  })

  it("waits while its agent is busy, its worktree is another's, or too many agents are at work", () => {
    const busy = afterRules(withHelper, say("agt_1", "m1"), deliver("agt_1", "run_1"), say("agt_1", "m2"))
    expect(verdict(deliver("agt_1", "run_2"), busy)).toEqual([])
    const taken = afterRules(withHelper, (state) => createRun(taskOf("other", "helper"))(state), say("agt_1", "m1"))
    expect(verdict(deliver("agt_1", "run_2"), taken)).toEqual([])
    expect(waitsFor(taken, findAgent(taken, "helper"), {})).toBe("worktree")
    const crowded = afterRules(withHelper, (state) => createRun(taskOf("other", "main"))(state), say("agt_1", "m1"))
    expect(verdict(deliver("agt_1", "run_2", 1), crowded)).toEqual([])
    expect(waitsFor(crowded, findAgent(crowded, "helper"), { maxActive: 1 })).toBe("agents")
    expect(waitsFor(crowded, findAgent(crowded, "helper"), {})).toBeNull()
  })

  it("isn't delivered where another came before the reader saw it", () => {
    const one = afterRules(withHelper, say("agt_1", "m1"))
    const read = queueOf(one, "agt_1")
    const two = afterRules(one, say("agt_1", "m2"))
    expect(verdict(deliverMessages("agt_1", { runId: "run_1", messages: read }), two)).toEqual([])
  })
})

type Step = { op: "create" | "say" | "deliver" | "end" | "close" | "rename" | "task"; agent: number; name: number }
const step: fc.Arbitrary<Step> = fc.record({
  op: fc.constantFrom("create", "say", "say", "say", "deliver", "deliver", "end", "close", "rename", "task"),
  agent: fc.nat(5),
  name: fc.nat(4),
})

describe("whatever happens to the agents of a session", () => {
  it("no name is had twice, and no message is in two turns, in another agent's, or lost", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        let state = empty
        let count = 0
        const accepted = new Map<string, string>()
        const delivered = new Map<string, string>()
        const dropped = new Set<string>()
        for (const { op, agent, name } of steps) {
          const agentId = `agt_${agent}`
          const id = `${op}_${String(++count).padStart(4, "0")}`
          for (const event of eventsOf(state, ruleOf(state, { op, agentId, name: `name-${name}`, id }))) {
            if (event.type === "agent_message_queued") accepted.set(event.message_id, event.agent_id)
            if (event.type === "agent_closed")
              for (const { messageId } of findAgent(state, agentId).queue) dropped.add(messageId)
            if (event.type === "agent_message_delivered") {
              for (const messageId of event.message_ids) {
                expect(delivered.has(messageId)).toBe(false)
                expect(accepted.get(messageId)).toBe(event.agent_id)
                delivered.set(messageId, event.run_id)
              }
            }
            state = stateAfter([event], { state })
          }
          check(state)
        }
        const waiting = Object.values(state.agents.open).flatMap(({ queue }) => queue.map(({ messageId }) => messageId))
        expect([...delivered.keys(), ...waiting, ...dropped].sort()).toEqual([...accepted.keys()].sort())
      }),
      { numRuns: cases({ usual: 200, deep: 5000 }) },
    )
  })
})

function ruleOf(
  state: SessionState,
  { op, agentId, name, id }: { op: Step["op"]; agentId: string; name: string; id: string },
): Rule {
  const nothing: Rule = () => []
  switch (op) {
    case "create":
      return createAgent({ ...helper, agentId, name, worktree: "shared" })
    case "say":
      return say(agentId, id)
    case "deliver":
      return namedAgent(state, agentId) ? deliver(agentId, id, 2) : nothing
    case "end": {
      const run = activeRun(state, agentId)
      return run ? () => [ended(run.runId, agentId)] : nothing
    }
    case "close":
      return closeAgent(agentId, "x")
    case "rename":
      return changeAgent(agentId, { name })
    case "task":
      return createRun(taskOf(agentId, "main", id), { maxActive: 2 })
  }
}

function eventsOf(state: SessionState, rule: Rule): NewEvent[] {
  const said = rule(state)
  return Array.isArray(said) ? said : []
}

function check(state: SessionState): void {
  const names = openAgents(state).map(({ name }) => name.toLowerCase())
  expect(new Set(names).size).toBe(names.length)
  const atWork = activeRuns(state).map(({ agentId }) => agentId)
  expect(new Set(atWork).size).toBe(atWork.length)
  expect(liveRuns(state).length).toBeLessThanOrEqual(2)
  for (const { queue } of openAgents(state)) expect(queue.length).toBeLessThanOrEqual(20)
}

function taskOf(agentId: string, worktree: string, runId = `run_${agentId}`) {
  const input = { task: "x", ...program, repository: null, terminal: { rows: 24, cols: 80 } }
  const run = created(runId, agentId)
  return { ...run, kind: "agent" as const, program, input, ...(worktree !== "main" && { worktree }) }
}
