import { terminalClosed } from "@switchyard/core/agents/terminals/rules"
import type { NewEvent } from "@switchyard/core/events"
import { createRun } from "@switchyard/core/work/runs/admission"
import {
  appendAgentEvents,
  appendAsExecutor,
  cancelRun,
  claimRun,
  endRun,
  failLaunch,
  handOverRun,
  MAX_ATTEMPTS,
  MAX_RELAUNCHES,
  relaunchRun,
  resumeRun,
} from "@switchyard/core/work/runs/rules"
import { describe, expect, it } from "vitest"
import {
  cancelled,
  cancelRequested,
  claimed,
  committed,
  completed,
  created,
  failed,
  handedOver,
  nodeFinished,
  opened,
  parked,
  relaunched,
  resumed,
  stateAfter,
  verdict,
} from "../../kernel/folded.ts"
import { note } from "../../log/store.ts"

// Every state of a run, as the events that lead to it.
const runs = {
  none: [],
  queued: [created()],
  running: [created(), claimed(1)],
  parked: [created(), claimed(1), parked(1)],
  resumed: [created(), claimed(1), parked(1), resumed()],
  "handed over": [created(), claimed(1), handedOver(1)],
  relaunched: [created(), claimed(1), relaunched(2)],
  "taken over": [created(), claimed(1), claimed(2)],
  "asked to stop": [created(), claimed(1), cancelRequested()],
  "relaunched, and asked to stop": [created(), claimed(1), relaunched(2), cancelRequested(), cancelled()],
  completed: [created(), claimed(1), completed()],
  failed: [created(), claimed(1), failed()],
  cancelled: [created(), cancelRequested(), cancelled()],
} satisfies Record<string, NewEvent[]>

const ended = ["completed", "failed", "cancelled", "relaunched, and asked to stop"] as const
const stateOf = (run: keyof typeof runs) => stateAfter([opened(), ...runs[run]])
const runOf = (run: keyof typeof runs) => stateOf(run).runs.byId.run_1 ?? expect.fail("no run")
const everyRun = Object.keys(runs) as (keyof typeof runs)[]

/** Checks the rule's verdict on each kind of run. Kinds that `says` doesn't name get `rest`. */
function table(
  rule: Parameters<typeof verdict>[0],
  says: Partial<Record<keyof typeof runs, string | string[]>>,
  rest: unknown,
) {
  for (const run of everyRun) expect.soft(verdict(rule, stateOf(run)), run).toEqual(says[run] ?? rest)
}

describe("a run is created", () => {
  const another = createRun(created("run_2"))
  it("only while no other of its agent is active", () => {
    const may = ["run_created"]
    table(another, { none: may, ...Object.fromEntries(ended.map((run) => [run, may])) }, "run_active")
    expect(another(stateOf("running"))).toMatchObject({ details: { run_id: "run_1" } })
  })
  it("beside the run of another agent", () => {
    table(createRun(created("run_2", "reviewer")), {}, ["run_created"])
  })
  it("once, however often it is asked for", () => {
    table(createRun(created("run_1")), { none: ["run_created"] }, [])
  })
})

describe("a run is claimed", () => {
  it("in the generation after the one that its launch saw, unless it is parked or over", () => {
    const may = ["run_claimed"]
    table(claimRun("run_1", "exe", 0), { queued: may }, "run_superseded")
    const first = { running: may, "asked to stop": may, relaunched: may, "handed over": may, resumed: may }
    table(claimRun("run_1", "exe", 1), first, "run_superseded")
    table(claimRun("run_1", "exe", 2), { "taken over": may }, "run_superseded")
    expect(claimRun("run_1", "me", 1)(stateOf("relaunched"))).toEqual([
      { type: "run_claimed", run_id: "run_1", agent_id: "main", generation: 2, executor: "me" },
    ])
  })
})

describe("what an executor says", () => {
  it("counts while its claim is the newest and nobody asked the run to stop", () => {
    const says = (generation: number) => appendAsExecutor("run_1", generation, [note("a"), committed(1, "step")])
    const may = ["note", "workspace_committed"]
    table(says(1), { running: may, "asked to stop": "run_cancelled" }, "run_superseded")
    table(says(2), { "taken over": may }, "run_superseded")
    table(says(0), {}, "run_superseded")
  })
  it("is said of its run and of no other", () => {
    const foreign = { ...note("a"), run_id: "run_9", agent_id: "other" } as NewEvent
    const said = appendAsExecutor("run_1", 1, [foreign])(stateOf("running"))
    expect(said).toMatchObject([{ run_id: "run_1", agent_id: "main", text: "a" }])
  })
})

describe("a question of an agent's turn", () => {
  const question = { kind: "text" as const, text: "Which port?" }
  const asked: NewEvent = { type: "question_asked", question_id: "que_1", kind: "text", question }
  const withdrawn: NewEvent = { type: "question_withdrawn", question_id: "que_1", reason: "The turn is over." }
  const answered: NewEvent = {
    ...{ type: "question_answered", question_id: "que_1", by: "anna" },
    answer: { choice: "allow" },
  }
  const says = (...events: NewEvent[]) => appendAgentEvents("run_1", 1, events)
  const after = (state: typeof running, rule: ReturnType<typeof says>) =>
    stateAfter(rule(state) as NewEvent[], { state })
  const running = stateOf("running")
  const waiting = after(running, says(asked))

  it("isn't asked of a run that shall stop, nor withdrawn then", () => {
    const stopping = stateOf("asked to stop")
    expect(verdict(says(asked), stopping)).toEqual([])
    expect(verdict(says(withdrawn), stopping)).toEqual([])
    expect(verdict(says(asked, withdrawn), stopping)).toEqual([])
  })
  it("is withdrawn if it waits, also from a run that shall stop", () => {
    const types = ["question_asked", "question_withdrawn"]
    expect(verdict(says(asked, withdrawn), running)).toEqual(types)
    expect(verdict(says(withdrawn), waiting)).toEqual(["question_withdrawn"])
    expect(verdict(says(withdrawn), stateAfter([cancelRequested()], { state: waiting }))).toEqual([
      "question_withdrawn",
    ])
  })
  it("isn't withdrawn once it is answered, or was withdrawn", () => {
    expect(verdict(says(withdrawn), stateAfter([answered], { state: waiting }))).toEqual([])
    expect(verdict(says(withdrawn, withdrawn), waiting)).toEqual(["question_withdrawn"])
  })
  it("is withdrawn by the next claim of its run, which waits for nothing, unless it outlives the run", () => {
    const claim = claimRun("run_1", "exe", 1)
    expect(claim(waiting)).toMatchObject([
      { type: "question_withdrawn", run_id: "run_1", agent_id: "main", question_id: "que_1" },
      { type: "run_claimed", generation: 2 },
    ])
    const kept: NewEvent = { type: "question_kept", question_id: "que_1" }
    expect(verdict(claim, stateAfter([kept], { state: waiting }))).toEqual(["run_claimed"])
  })
})

describe("a terminal of an agent's turn", () => {
  const begun: NewEvent = {
    ...{ type: "terminal_opened", pty: "pty_1", kind: "driver" },
    title: "",
    rows: 24,
    cols: 80,
  }
  const ends: NewEvent[] = [{ type: "terminal_output", pty: "pty_1", data: "$" }, terminalClosed("pty_1")]
  const ended = ["terminal_output", "terminal_closed"]
  const says = (...events: NewEvent[]) => appendAgentEvents("run_1", 1, events)

  it("ends once, also where the next runner has closed it, and the turn goes on to its own end", () => {
    const open = stateAfter([begun], { state: stateOf("running") })
    const turn: NewEvent = { type: "agent_notice", text: "Stopping." }
    expect(verdict(says(...ends, turn), open)).toEqual([...ended, "agent_notice"])
    expect(verdict(says(begun, ...ends, ...ends), stateOf("running"))).toEqual(["terminal_opened", ...ended])
    const closed = stateAfter([{ type: "runner_claimed", generation: 2, executor: "exe" }, ...ends], { state: open })
    expect(verdict(says(...ends, turn), closed)).toEqual(["agent_notice"])
  })
})

describe("a run ends", () => {
  it("as its executor says, and as cancelled if somebody asked for that first", () => {
    const completes = endRun("run_1", 1, 5000, { type: "run_completed" })
    table(completes, { running: ["run_completed"], "asked to stop": ["run_cancelled"] }, "run_superseded")
    const fails = endRun("run_1", 1, 5000, { type: "run_failed", error_type: "e", message: "m", hint: "h" })
    table(fails, { running: ["run_failed"], "asked to stop": ["run_cancelled"] }, "run_superseded")
    table(endRun("run_1", 2, 5000, { type: "run_completed" }), { "taken over": ["run_completed"] }, "run_superseded")
  })
  it("with how long it took, and which files it left", () => {
    const state = stateAfter([opened(), created(), claimed(1), committed(1, "a"), committed(2, "b")], { at: 1000 })
    expect(endRun("run_1", 1, 5000, { type: "run_completed" })(state)).toEqual([
      { type: "run_completed", run_id: "run_1", agent_id: "main", duration_ms: 4000, workspace_version: 2 },
    ])
    const asked = stateAfter([cancelRequested("changed my mind")], { state })
    expect(endRun("run_1", 1, 5000, { type: "run_completed" })(asked)).toMatchObject([
      { type: "run_cancelled", reason: "changed my mind", duration_ms: 4000 },
    ])
  })
})

describe("a run is asked to stop", () => {
  it("and stops at once if nobody executes it; asked again, nothing more is said", () => {
    const atOnce = ["run_cancel_requested", "run_cancelled"]
    const asked = ["run_cancel_requested"]
    const says = {
      none: "run_not_found",
      queued: atOnce,
      parked: atOnce,
      resumed: atOnce,
      "handed over": atOnce,
      relaunched: atOnce,
      running: asked,
      "taken over": asked,
    }
    table(cancelRun("run_1", "asked", 5000), says, [])
  })
})

describe("a run that should have moved", () => {
  it("is started again, or cancelled if it was asked to stop", () => {
    for (const run of ["queued", "running", "resumed", "handed over", "relaunched", "taken over"] as const) {
      expect.soft(verdict(relaunchRun(runOf(run), "late", 5000), stateOf(run)), run).toEqual(["run_relaunched"])
    }
    const asked = relaunchRun(runOf("asked to stop"), "late", 5000)
    expect(verdict(asked, stateOf("asked to stop"))).toEqual(["run_cancelled"])
  })
  it("is left alone once it has moved, or another sweep was first", () => {
    const seen = runOf("running")
    const rule = relaunchRun(seen, "late", 5000)
    table(rule, { running: ["run_relaunched"], "asked to stop": ["run_cancelled"] }, [])
    const twice = stateAfter([relaunched(2)], { state: stateOf("running") })
    expect(verdict(rule, twice)).toEqual([])
    expect(
      verdict(relaunchRun(runOf("queued"), "late", 5000), stateAfter([relaunched(2)], { state: stateOf("queued") })),
    ).toEqual([])
  })
  it("fails after so many launches without getting anywhere, and any progress counts anew", () => {
    let state = stateOf("queued")
    const relaunch = () => {
      const run = state.runs.byId.run_1 ?? expect.fail("no run")
      const said = relaunchRun(run, "late", 5000)(state)
      if (Array.isArray(said)) state = stateAfter(said, { state })
      return verdict(() => said, state)
    }
    for (let launches = 1; launches < MAX_ATTEMPTS; launches++) expect(relaunch()).toEqual(["run_relaunched"])
    const stuck = state
    expect(relaunch()).toEqual(["run_failed"])
    const main = { run_id: "run_1", agent_id: "main" }
    const toolUsed = (about: object = {}): NewEvent => {
      return { type: "tool_call_started", ...main, ...about, tool_call_id: "t", tool: "bash" }
    }
    for (const progress of [nodeFinished(), committed(1, "step"), handedOver(1), toolUsed()]) {
      state = stateAfter([claimed(1), progress], { state: stuck })
      for (let launches = 1; launches <= MAX_ATTEMPTS; launches++) expect(relaunch()).toEqual(["run_relaunched"])
      expect(relaunch()).toEqual(["run_failed"])
    }
    // A tool call in a workflow isn't progress. Only a finished step is.
    state = stateAfter([claimed(1), toolUsed({ node: "coder", iteration: 1 })], { state: stuck })
    expect(relaunch()).toEqual(["run_failed"])
    // An agent whose runner ends each time, but only after some progress.
    state = stuck
    for (let launches = MAX_ATTEMPTS; launches <= MAX_RELAUNCHES; launches++) {
      state = stateAfter([claimed(launches), toolUsed()], { state })
      expect(relaunch()).toEqual(["run_relaunched"])
    }
    state = stateAfter([claimed(99), toolUsed()], { state })
    expect(relaunch()).toEqual(["run_failed"])
  })
})

describe("a run for which no runner can be had", () => {
  it("fails if it still waits for this launch, and not if it has moved", () => {
    const run = { runId: "run_1" }
    const why = { reason: "full", now: 5000, ends: [] }
    table(failLaunch(run, 0, why), { queued: ["run_failed"] }, [])
    const after = { resumed: ["run_failed"], "handed over": ["run_failed"], relaunched: ["run_failed"] }
    table(failLaunch(run, 1, why), after, [])
  })
  it("is not late while its runner is on its way, and one that nobody launched doesn't count as launched", () => {
    const awaited: NewEvent = { type: "runner_awaited", run_id: "run_1", generation: 1, attempt: 1, phase: "pending" }
    expect(stateAfter([awaited], { state: stateOf("queued"), at: 9000 }).runs.byId.run_1?.launchedAt).toBe(
      new Date(9000).toISOString(),
    )
    expect(stateAfter([awaited], { state: stateOf("handed over"), at: 9000 }).runs.byId.run_1?.launchedAt).toBeNull()
  })
})

describe("a run is left", () => {
  it("to a successor by its executor, or cancelled if it was asked to stop", () => {
    const rule = handOverRun("run_1", 1, 5000)
    table(rule, { running: ["run_handed_over"], "asked to stop": ["run_cancelled"] }, "run_superseded")
  })
  it("parked until somebody resumes it", () => {
    const over = Object.fromEntries(ended.map((run) => [run, "run_ended"]))
    table(resumeRun("run_1"), { none: "run_not_found", parked: ["run_resumed"], ...over }, [])
  })
})
