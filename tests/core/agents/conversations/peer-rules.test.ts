import { statusOf } from "@switchyard/core/agents/conversations/agent-view"
import { askOf } from "@switchyard/core/agents/conversations/asks"
import type { Caller } from "@switchyard/core/agents/conversations/caller"
import { deliverMessages, turnText } from "@switchyard/core/agents/conversations/delivery"
import {
  answerAsk,
  askAgent,
  closePeer,
  failAsk,
  interruptPeer,
  releaseAsk,
  remindOfAsk,
  spawnAgent,
  tellAgent,
} from "@switchyard/core/agents/conversations/peer-rules"
import { closeAgent, createAgent } from "@switchyard/core/agents/conversations/rules"
import { openAgent, openAgents } from "@switchyard/core/agents/conversations/state"
import { permissionsOf } from "@switchyard/core/agents/questions/state"
import type { NewEvent } from "@switchyard/core/events"
import type { Rule } from "@switchyard/core/kernel/session-log"
import type { SessionState } from "@switchyard/core/state"
import { createRun } from "@switchyard/core/work/runs/admission"
import { cancelRun, claimRun, endRun } from "@switchyard/core/work/runs/rules"
import { activeRun, runOf } from "@switchyard/core/work/runs/state"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../../../settings.ts"
import { opened, stateAfter, verdict } from "../../kernel/folded.ts"

const program = { cli: "mock" as const, account: "anna", model: "m", reasoning: null }
const now = 1000
const LONG = "A message that is long enough to begin a turn by itself."
let ids = 0
const sent = (content = LONG) => ({ messageId: `msg_${ids++}`, content, now })

/** Returns the state after these rules. Throws if a rule refuses. */
function played(state: SessionState, ...rules: Rule[]): SessionState {
  return rules.reduce((current, rule) => {
    const events = rule(current)
    if (!Array.isArray(events)) throw events
    return stateAfter(events, { state: current })
  }, state)
}

function create(name: string, mode: "ask" | "bypass" = "bypass"): Rule {
  return createAgent({ agentId: `agt_${name}`, name, program, mode, worktree: "own" })
}

/** Returns rules that begin a turn of an agent, with its waiting messages or else with a task. */
function begin(agentId: string, runId: string): Rule[] {
  const claim = claimRun(runId, "exe", 0)
  return [
    (state) => {
      const agent = openAgent(state, agentId)
      const messages = (agent?.queue ?? []).map((one) => ({
        ...one,
        content: "x",
        displayAs: undefined,
        source: "api",
      }))
      if (messages.length > 0) return deliverMessages(agentId, { runId, messages })(state)
      const input = { ...program, task: "t", repository: null, terminal: { rows: 1, cols: 1 } }
      const worktree = agent?.worktree ?? "main"
      return createRun({
        run_id: runId,
        agent_id: agentId,
        kind: "agent",
        model: "mock/m",
        title: "t",
        worktree,
        program,
        input,
      })(state)
    },
    claim,
  ]
}

const end = (runId: string): Rule => endRun(runId, 1, now, { type: "run_completed" })
const callerOf = (agentId: string, runId: string): Caller => ({ agentId, runId, generation: 1 })

const a = callerOf("agt_a", "run_a")
const b = callerOf("agt_b", "run_b")
const c = callerOf("agt_c", "run_c")
const team = played(stateAfter([opened()]), create("a"), create("b"), create("c"))
const atWork = played(team, ...begin("agt_a", "run_a"), ...begin("agt_b", "run_b"), ...begin("agt_c", "run_c"))
const aAtWork = played(team, ...begin("agt_a", "run_a"))

const refusal = (rule: Rule, state: SessionState) => {
  const said = rule(state)
  return Array.isArray(said) ? said.map(({ type }) => type).join() : said.message
}

it("has the native session that each agent's program reported last", () => {
  const report = (agent_id: string, native_session_id: string): NewEvent[] => [
    { type: "agent_session_opened", agent_id, cli: "mock", native_session_id, model: null },
  ]
  const state = [report("agt_a", "first"), report("agt_b", "other"), report("agt_a", "second")].reduce(
    (before, events) => stateAfter(events, { state: before }),
    atWork,
  )
  expect(["agt_a", "agt_b", "agt_c"].map((id) => openAgent(state, id)?.nativeSession)).toEqual([
    "second",
    "other",
    null,
  ])
})

describe("a message of one agent to another", () => {
  it("carries its sender's name, and begins a turn where it is worth one", () => {
    const told = played(aAtWork, tellAgent(a, "B", sent()))
    expect(openAgent(told, "agt_b")?.queue).toMatchObject([{ isQuiet: false }])
    expect(statusOf(told, openAgent(told, "agt_b") as never)).toBe("starting")
    const message = { messageId: "m", seq: 1, displayAs: undefined, source: "agent:a", content: LONG }
    expect(turnText([message])).toBe(`From the agent a:\n\n${LONG}`)
    expect(turnText([{ ...message, asks: true }])).toContain("waits for your answer")
  })

  it("begins no turn where it is as short as thanks, but is read with the next", () => {
    const thanked = played(aAtWork, tellAgent(a, "b", sent("Thanks!")))
    expect(statusOf(thanked, openAgent(thanked, "agt_b") as never)).toBe("idle")
    const told = played(thanked, tellAgent(a, "b", sent()))
    expect(openAgent(told, "agt_b")?.queue).toHaveLength(2)
  })

  it("is refused to oneself, to nobody, to a closed agent, and from a turn that is over", () => {
    expect(refusal(tellAgent(a, "a", sent()), aAtWork)).toBe("That agent is you.")
    for (const name of ["../b", "-x", "agt_", "", "b/../c", "x".repeat(5000)]) {
      expect(verdict(tellAgent(a, name, sent()), aAtWork)).toBe("agent_not_found")
    }
    const closed = played(aAtWork, closeAgent("agt_b", "over"))
    expect(verdict(tellAgent(a, "agt_b", sent()), closed)).toBe("agent_closed")
    expect(verdict(tellAgent(a, "b", sent()), played(aAtWork, end("run_a")))).toBe("run_superseded")
    expect(verdict(tellAgent({ ...a, generation: 2 }, "b", sent()), aAtWork)).toBe("run_superseded")
    expect(verdict(tellAgent(a, "b", sent()), played(aAtWork, cancelRun("run_a", "asked", now)))).toBe("run_superseded")
  })

  it("is one of thirty a minute", () => {
    let state = atWork
    for (let count = 0; count < 30; count++) state = played(state, tellAgent(a, count % 2 ? "b" : "c", sent()))
    expect(verdict(tellAgent(a, "b", sent()), state)).toBe("rate_limited")
    expect(verdict(askAgent(a, "b", sent()), state)).toBe("rate_limited")
    expect(verdict(spawnAgent(a, { agentId: "agt_d", name: "d", worktree: "own", now }), state)).toBe("rate_limited")
    // The limit doesn't affect other agents, and ends after a minute.
    expect(verdict(tellAgent(b, "a", sent()), state)).toEqual(["agent_message_queued"])
    expect(verdict(tellAgent(a, "main", { ...sent(), now: now + 60_000 }), withMain(state))).toEqual([
      "agent_message_queued",
    ])
  })
})

/** Gives main a program, without which main can't receive messages. */
function withMain(state: SessionState): SessionState {
  return stateAfter([{ type: "agent_program_changed", agent_id: "main", ...program }], { state })
}

describe("a question of one agent to another", () => {
  const question = sent()
  const asked = played(atWork, askAgent(a, "b", question))

  it("is refused at once where the agents would wait for one another, with their names", () => {
    expect(refusal(askAgent(b, "a", sent()), asked)).toMatch(/^a waits for b, so/)
    const chain = played(asked, askAgent(b, "c", sent()))
    expect(refusal(askAgent(c, "a", sent()), chain)).toMatch(/^a waits for b waits for c, so/)
    // Once agent a no longer waits, agent b may ask a question back.
    expect(verdict(askAgent(b, "a", sent()), played(asked, releaseAsk(question.messageId)))).toEqual([
      "agent_message_queued",
    ])
  })

  it("is answered by a message to the agent that waits, which isn't queued besides, however short it is", () => {
    const answered = played(asked, tellAgent(b, "a", sent("Yes.")))
    expect(askOf(answered, question.messageId)).toBeUndefined()
    expect(openAgent(answered, "agt_a")?.queue).toEqual([])
  })

  it("isn't answered by what its agent tells another, or another tells the one that asked", () => {
    const both = played(asked, askAgent(c, "b", sent()))
    const answered = played(both, tellAgent(b, "a", sent("Yes.")))
    expect(Object.values(answered.agents.asks).map(({ from }) => from)).toEqual(["agt_c"])
    const told = played(asked, tellAgent(c, "a", sent()))
    expect(askOf(told, question.messageId)).toBeDefined()
  })

  it("is answered by a message of its own where the agent that asked no longer waits", () => {
    const released = played(asked, releaseAsk(question.messageId))
    const answered = played(released, tellAgent(b, "a", sent("Yes.")))
    expect(openAgent(answered, "agt_a")?.queue).toMatchObject([{ isQuiet: false }])
    expect(answered.agents.asks).toEqual({})
  })

  it("is answered by the last words of the turn that took it, and of no other", () => {
    const taken = played(asked, end("run_b"), ...begin("agt_b", "run_b2"))
    const answer = { text: "42", reply: "msg_reply" }
    expect(taken.agents.asks[question.messageId]).toMatchObject({ takenBy: "run_b2", unansweredAt: null })
    expect(verdict(answerAsk(question.messageId, "run_b", answer), taken)).toEqual([])
    const over = played(taken, end("run_b2"))
    expect(verdict(answerAsk(question.messageId, "run_b2", answer), over)).toEqual(["agent_ask_ended"])
    // Meanwhile, the asking agent has ended its turn.
    const late = played(over, end("run_a"))
    expect(verdict(answerAsk(question.messageId, "run_b2", answer), late)).toEqual([
      "agent_ask_ended",
      "agent_message_queued",
    ])
  })

  it("is reminded of three times, and then over", () => {
    let state = played(asked, end("run_b"))
    for (let turn = 0; turn < 3; turn++) {
      state = played(
        state,
        ...begin("agt_b", `run_r${turn}`),
        end(`run_r${turn}`),
        remindOfAsk(question.messageId, `msg_r${turn}`),
      )
      expect(openAgent(state, "agt_b")?.queue).toHaveLength(1)
      // A second reminder in the same turn does nothing.
      expect(verdict(remindOfAsk(question.messageId, "msg_again"), state)).toEqual([])
    }
    state = played(state, ...begin("agt_b", "run_r3"), end("run_r3"))
    expect(verdict(remindOfAsk(question.messageId, "msg_last"), state)).toEqual(["agent_ask_ended"])
  })

  it("ends with the agent that owes the answer, and is forgotten with the one that asked", () => {
    expect(verdict(closeAgent("agt_b", "over"), asked)).toEqual(["agent_ask_ended", "agent_closed"])
    expect(played(asked, closeAgent("agt_a", "over")).agents.asks).toEqual({})
    const taken = played(
      asked,
      end("run_b"),
      ...begin("agt_b", "run_b2"),
      cancelRun("run_b2", "stop", now),
      end("run_b2"),
    )
    const failure = { why: "interrupted" as const, reply: "msg_reply" }
    expect(verdict(failAsk(question.messageId, "run_b2", failure), taken)).toEqual(["agent_ask_ended"])
  })

  it("isn't waited for where the other agent can't begin before the turn is over", () => {
    const spawned = { agentId: "agt_d", name: "d", worktree: "shared" as const, now }
    const behind = played(atWork, spawnAgent(a, spawned))
    expect(verdict(askAgent(a, "d", sent()), behind)).toEqual(["agent_message_queued", "agent_ask_released"])
  })
})

describe("an agent that another one starts", () => {
  const spawned = { agentId: "agt_d", name: "d", worktree: "own" as const, now }

  it("has its program, its mode and its first message, and a worktree of its own or the same", () => {
    const prompt = { messageId: "msg_first", content: "Begin." }
    const own = played(atWork, spawnAgent(a, { ...spawned, prompt }))
    expect(openAgent(own, "agt_d")).toMatchObject({ program, worktree: "d", parent: "agt_a", depth: 1 })
    expect(openAgent(own, "agt_d")?.queue).toMatchObject([{ messageId: "msg_first", isQuiet: false }])
    expect(permissionsOf(own, "agt_d").mode).toBe("bypass")
    const shared = played(atWork, spawnAgent(a, { ...spawned, worktree: "shared" }))
    expect(openAgent(shared, "agt_d")?.worktree).toBe("a")
  })

  it("may do no more than the one that starts it", () => {
    const asking = played(stateAfter([opened()]), create("a", "ask"), ...begin("agt_a", "run_a"))
    for (const mode of ["accept_edits", "bypass"] as const) {
      expect(verdict(spawnAgent(a, { ...spawned, mode }), asking)).toBe("forbidden")
    }
    expect(permissionsOf(played(asking, spawnAgent(a, spawned)), "agt_d").mode).toBe("ask")
    expect(verdict(spawnAgent(a, { ...spawned, mode: "plan" }), asking)).toEqual(["agent_created"])
  })

  it("is one of three below another, and works with a program that is there", () => {
    let state = atWork
    let caller = a
    for (let depth = 1; depth <= 3; depth++) {
      const agentId = `agt_deep${depth}`
      state = played(
        state,
        spawnAgent(caller, { ...spawned, agentId, name: `deep${depth}` }),
        ...begin(agentId, `run_deep${depth}`),
      )
      caller = callerOf(agentId, `run_deep${depth}`)
    }
    expect(verdict(spawnAgent(caller, spawned), state)).toBe("limit_reached")
    expect(verdict(spawnAgent(a, { ...spawned, cli: "claude" }), state)).toBe("task_invalid")
    expect(verdict(spawnAgent(a, { ...spawned, name: "A" }), state)).toBe("agent_exists")
  })
})

describe("an agent that interrupts or closes another", () => {
  it("stops its turn, and tells it what to go on with", () => {
    expect(verdict(interruptPeer(a, "b", { ...sent() }), atWork)).toEqual([
      "agent_message_queued",
      "run_cancel_requested",
    ])
    expect(verdict(interruptPeer(a, "b", { now }), team)).toBe("run_superseded")
    expect(verdict(closePeer(a, "b", now), atWork)).toEqual(["agent_closed", "run_cancel_requested"])
  })

  it("is neither main's master nor its own", () => {
    for (const name of ["main", "a"]) {
      expect(verdict(interruptPeer(a, name, { now }), atWork)).toBe("validation_error")
      expect(verdict(closePeer(a, name, now), atWork)).toBe("validation_error")
    }
  })
})

it("ends every question, and delivers nothing to a closed agent, whatever agents do", () => {
  const names = ["a", "b", "c"]
  const step = fc.record({
    what: fc.constantFrom("ask", "tell", "begin", "end", "cancel", "close", "create", "release", "interrupt"),
    who: fc.constantFrom(...names),
    whom: fc.constantFrom(...names),
    short: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let state = team
      let count = 0
      const attempt = (rule: Rule): NewEvent[] => {
        const events = rule(state)
        if (!Array.isArray(events)) return []
        state = stateAfter(events, { state })
        return events
      }
      const idOf = (name: string) => openAgents(state).find((agent) => agent.name === name)?.agentId ?? `agt_${name}`
      const settleAll = () => {
        for (const ask of Object.values(state.agents.asks)) {
          const run = ask.takenBy === null ? undefined : runOf(state, ask.takenBy)
          if (!run || ask.unansweredAt === null) continue
          const reply = `msg_s${count++}`
          if (run.status === "cancelled") attempt(failAsk(ask.messageId, run.runId, { why: "interrupted", reply }))
          else if (count % 2) attempt(answerAsk(ask.messageId, run.runId, { text: "words", reply }))
          else attempt(remindOfAsk(ask.messageId, reply))
        }
      }
      const play = ({ what, who, whom, short }: { what: string; who: string; whom: string; short: boolean }) => {
        const id = idOf(who)
        const run = activeRun(state, id)
        const caller = { agentId: id, runId: run?.runId ?? "", generation: run?.generation ?? 0 }
        const message = { messageId: `msg_p${count++}`, content: short ? "ok" : LONG, now }
        if (what === "ask") attempt(askAgent(caller, whom, message))
        if (what === "tell") attempt(tellAgent(caller, whom, message))
        if (what === "release") for (const ask of Object.keys(state.agents.asks)) attempt(releaseAsk(ask))
        if (what === "interrupt") attempt(interruptPeer(caller, whom, { now }))
        if (what === "close") attempt(closeAgent(id, "over"))
        if (what === "create")
          attempt(createAgent({ agentId: `agt_${who}${count++}`, name: who, program, mode: "bypass", worktree: "own" }))
        if (what === "cancel" && run) attempt(cancelRun(run.runId, "stop", now))
        if (what === "end" && run) attempt(endRun(run.runId, run.generation, now, { type: "run_completed" }))
        if (what === "begin" && !run) for (const rule of begin(id, `run_p${count++}`)) attempt(rule)
        settleAll()
        for (const ask of Object.values(state.agents.asks)) {
          expect(openAgent(state, ask.to)).toBeDefined()
          expect(openAgent(state, ask.from)).toBeDefined()
        }
        for (const agent of state.agents.closed) expect(agent.queue).toEqual([])
      }
      for (const one of steps) play(one)
      // From here on, the agents only work off their queues.
      for (let round = 0; round < 40 && Object.keys(state.agents.asks).length > 0; round++) {
        for (const who of names) play({ what: round % 2 ? "end" : "begin", who, whom: who, short: false })
      }
      expect(state.agents.asks).toEqual({})
    }),
    { numRuns: cases({ usual: 200, deep: 10_000 }) },
  )
})
