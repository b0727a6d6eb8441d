import { AppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import type { Verdict } from "@switchyard/core/kernel/session-log"
import type { SessionState } from "@switchyard/core/state"
import {
  assignNode,
  createNode,
  finishRefusal,
  moveNode,
  publishRefusal,
  reopenNode,
  startable,
  startNode,
} from "@switchyard/core/work/teams/node-rules"
import { runsToCancel } from "@switchyard/core/work/teams/runs-to-cancel"
import { MAX_NODES } from "@switchyard/core/work/teams/schema"
import { reconvene, timeOutStages } from "@switchyard/core/work/teams/stage-rules"
import {
  currentStage,
  iterationsFor,
  stagesMetAt,
  statusOfStage,
  timedStages,
} from "@switchyard/core/work/teams/stages"
import { nodesIn, nodesOf, type TeamState } from "@switchyard/core/work/teams/state"
import {
  sayToTeam,
  sendMessage,
  setTeam,
  spawnWorker,
  startTeam,
  stopTeam,
} from "@switchyard/core/work/teams/team-rules"
import { boardText } from "@switchyard/core/work/teams/views/texts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../../../settings.ts"
import { cancelled, claimed, completed, created, opened, resumed, stateAfter, verdict } from "../../kernel/folded.ts"

const begun = (max_concurrent = 2): SessionState => {
  const run: NewEvent = { ...created("run_1", "coordinator"), kind: "team" }
  const state = stateAfter([opened(), run])
  return grown(state, startTeam("run_1", { goal: "A goal", max_concurrent })(state))
}

function grown(state: SessionState, said: Verdict): SessionState {
  return said instanceof AppError ? expect.unreachable(said.message) : stateAfter(said, { state })
}

function teamIn({ team }: SessionState): TeamState {
  return team ?? expect.unreachable("There is no team.")
}

const node = (nodeId: string, deps: string[] = []) => ({ nodeId, task: `Do ${nodeId}`, deps, refs: {} })
const worker = (name: string) => ({ workerId: `wkr_${name}`, name, role: "Works", model: "m", maxIterations: 5 })

/** Returns a team with these nodes. Ada has completed the first `done` nodes. */
function teamWith(nodes: ReturnType<typeof node>[], done = 0): SessionState {
  let state = begun()
  state = grown(state, spawnWorker(teamIn(state), worker("Ada")))
  for (const one of nodes) state = grown(state, createNode(teamIn(state), one))
  for (const { nodeId } of nodes.slice(0, done)) state = completedNode(started(state, nodeId), nodeId)
  return state
}

function started(state: SessionState, nodeId: string, name = "Ada"): SessionState {
  const runId = `run_${nodeId}`
  const assigned = grown(state, assignNode(teamIn(state), { nodeId, worker: name }))
  const run: NewEvent = { ...created(runId, `wkr_${name}`), kind: "work_node" }
  return stateAfter([run, ...eventsOf(startNode(teamIn(assigned), nodeId, runId))], { state: assigned })
}

function eventsOf(said: Verdict): NewEvent[] {
  return said instanceof AppError ? expect.unreachable(said.message) : said
}

function completedNode(state: SessionState, nodeId: string): SessionState {
  const about = { run_id: `run_${nodeId}`, agent_id: "wkr_Ada" }
  const published: NewEvent = { type: "work_node_completed", ...about, node_id: nodeId, summary: "Done.", files: ["a"] }
  return stateAfter([published, { ...completed(), ...about }], { state })
}

type Step =
  | ["create", string, string[]]
  | ["spawn" | "start" | "complete" | "fail" | "reopen", string]
  | ["assign", string, string]
  | ["move", string, string | null]

const id = fc.constantFrom("a", "b", "c", "d", "e", "f")
const name = fc.constantFrom("Ada", "Lin", "Sam")
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.tuple(fc.constant("create" as const), id, fc.array(id, { maxLength: 3 })),
    fc.tuple(fc.constant("spawn" as const), name),
    fc.tuple(fc.constant("assign" as const), id, name),
    fc.tuple(fc.constant("move" as const), id, fc.option(id)),
    fc.tuple(fc.constantFrom("start" as const, "complete" as const, "fail" as const, "reopen" as const), id),
  ),
  { maxLength: 60 },
)

/** Returns the verdict on something that a team member tries. */
function tried(team: TeamState, [what, one, more]: Step): Verdict {
  const about = { run_id: `run_${one}`, agent_id: "x", node_id: one }
  if (what === "create") return createNode(team, node(one, more))
  if (what === "spawn") return spawnWorker(team, worker(one))
  if (what === "assign") return assignNode(team, { nodeId: one, worker: more ?? "" })
  if (what === "start") return startNode(team, one, `run_${one}`)
  if (what === "reopen") return reopenNode(team, one)
  if (what === "move") return moveNode(team, { nodeId: one, before: more })
  const refusal = publishRefusal(team, { nodeId: one, runId: `run_${one}` })
  if (refusal) return refusal
  return what === "complete"
    ? [{ type: "work_node_completed", ...about, summary: "Done.", files: [] }]
    : [{ type: "work_node_failed", ...about, reason: "It didn't work." }]
}

describe("a board", () => {
  it("has no cycle, starts nothing early, and stays within its limits, whatever is tried", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 3 }), (tries, limit) => {
        let state = begun(limit)
        for (const step of tries) {
          const said = tried(teamIn(state), step)
          if (said instanceof AppError)
            expect(said).toMatchObject({ code: "team_refused", message: expect.stringMatching(/\.$/) })
          else state = stateAfter(said, { state })
          expectSound(teamIn(state), limit)
        }
      }),
      { numRuns: cases({ usual: 300, deep: 10_000 }) },
    )
  })

  function expectSound(team: TeamState, limit: number) {
    const order = Object.keys(team.nodes)
    for (const { nodeId, dependsOn, status } of Object.values(team.nodes)) {
      // Each node comes after its dependencies, so there is no cycle.
      for (const dep of dependsOn) expect(order.indexOf(dep)).toBeLessThan(order.indexOf(nodeId))
      const isBegun = ["assigned", "running", "completed"].includes(status)
      if (isBegun) expect(dependsOn.map((dep) => team.nodes[dep]?.status)).toEqual(dependsOn.map(() => "completed"))
    }
    expect(nodesOf(team).map(({ nodeId }) => nodeId)).toHaveLength(order.length)
    expect(new Set(nodesOf(team))).toEqual(new Set(Object.values(team.nodes)))
    const underWay = nodesIn(team, "assigned", "running").map(({ workerId }) => workerId)
    expect(new Set(underWay).size).toBe(underWay.length)
    expect(nodesIn(team, "running").length).toBeLessThanOrEqual(limit)
  }

  it("begins first what a person moved to the front, and moves nothing that has begun", () => {
    let state = teamWith(["a", "b", "c", "d"].map((id) => node(id)))
    for (const name of ["Lin", "Sam", "Mia"]) state = grown(state, spawnWorker(teamIn(state), worker(name)))
    state = started(state, "a")
    for (const [nodeId, name] of Object.entries({ b: "Lin", c: "Sam", d: "Mia" }))
      state = grown(state, assignNode(teamIn(state), { nodeId, worker: name }))
    const moved = (nodeId: string, before: string | null) => moveNode(teamIn(state), { nodeId, before })
    expect(startable(teamIn(state))).toEqual(["b"])
    state = grown(state, moved("d", "b"))
    expect(startable(teamIn(state))).toEqual(["d"])
    expect(boardText(teamIn(state))).toMatch(/- a .*\n- d .*\n- b .*\n- c /)
    state = grown(state, moved("d", null))
    expect(startable(teamIn(state))).toEqual(["b"])
    expect([moved("d", null), moved("d", "d"), moved("b", "c")]).toEqual([[], [], []])
    expect(moved("a", null)).toMatchObject({ message: "a is running; only a node that hasn't started can be moved." })
    expect(moved("e", null)).toMatchObject({ code: "team_refused" })
    expect(moved("b", "e")).toMatchObject({ code: "team_refused" })
  })

  it("says which dependencies a node waits for", () => {
    const state = teamWith([node("a"), node("b"), node("c", ["a", "b"])], 1)
    expect(assignNode(teamIn(state), { nodeId: "c", worker: "Ada" })).toMatchObject({
      message: "c can't start before b (pending). Assign it once they are completed.",
    })
  })

  it("has its nodes in the order in which they were created, also where their names are numbers", () => {
    let state = teamWith([node("10"), node("b"), node("2", ["10"])], 1)
    for (const name of ["Lin", "Mia"]) state = grown(state, spawnWorker(teamIn(state), worker(name)))
    expect(nodesOf(teamIn(state)).map(({ nodeId }) => nodeId)).toEqual(["10", "b", "2"])
    state = grown(state, assignNode(teamIn(state), { nodeId: "2", worker: "Lin" }))
    state = grown(state, assignNode(teamIn(state), { nodeId: "b", worker: "Mia" }))
    expect(startable(teamIn(state))).toEqual(["b", "2"])
    expect(boardText(teamIn(state))).toMatch(/- 10[\s\S]*- b[\s\S]*- 2/)
  })

  it("refuses a node that depends on itself, on one that isn't there, and one too many", () => {
    const team = teamIn(begun())
    expect(createNode(team, node("a", ["a"]))).toMatchObject({
      message: expect.stringContaining("can't depend on itself"),
    })
    expect(createNode(team, node("a", ["b"]))).toMatchObject({
      message: expect.stringContaining("Create these nodes first"),
    })
    const nodes = Object.fromEntries(Array.from({ length: MAX_NODES }, (_, at) => [`n${at}`, {}]))
    expect(createNode({ ...team, nodes } as never, node("a"))).toMatchObject({
      message: `A team can have at most ${MAX_NODES} nodes.`,
    })
  })

  it("takes a result once, and of the newest run alone", () => {
    const state = started(teamWith([node("a")]), "a")
    expect(publishRefusal(teamIn(state), { nodeId: "a", runId: "run_a" })).toBeUndefined()
    expect(publishRefusal(teamIn(state), { nodeId: "a", runId: "run_other" })).toMatchObject({ code: "team_refused" })
    const done = completedNode(state, "a")
    expect(publishRefusal(teamIn(done), { nodeId: "a", runId: "run_a" })).toMatchObject({ code: "team_refused" })
  })

  it("isn't finished while a node is under way, and once only", () => {
    const state = started(teamWith([node("a")]), "a")
    expect(finishRefusal(teamIn(state))).toMatchObject({ details: { open: ["a"] } })
    const finished: NewEvent = { type: "team_finished", summary: "Done.", files: [] }
    expect(finishRefusal(teamIn(stateAfter([finished], { state: completedNode(state, "a") })))).toBeDefined()
  })
})

describe("a message", () => {
  const members = () => {
    const state = teamWith([])
    return grown(state, spawnWorker(teamIn(state), worker("Lin")))
  }

  it("reaches the one whom it names, by an id, and everybody but its author where it is for all", () => {
    let state = members()
    state = grown(
      state,
      sendMessage(teamIn(state), { from: "coordinator", to: "ada", content: "Hello", messageId: "msg_1" }),
    )
    const first = state.head
    state = grown(
      state,
      sendMessage(teamIn(state), { from: "wkr_Ada", to: "all", content: "Hello, all", messageId: "msg_2" }),
    )
    const { coordinator, ...workers } = teamIn(state).inboxes
    expect(workers).toEqual({ wkr_Ada: [first], wkr_Lin: [first + 1] })
    expect(coordinator).toContain(first + 1)
  })

  it("is unread until a conversation has it, and no longer", () => {
    let state = members()
    state = grown(
      state,
      sendMessage(teamIn(state), { from: "coordinator", to: "Ada", content: "Hello", messageId: "msg_1" }),
    )
    const told: NewEvent = { type: "conversation_extended", agent_id: "wkr_Ada", messages: [], tells: [state.head] }
    state = stateAfter([told], { state })
    expect(teamIn(state).inboxes.wkr_Ada).toEqual([])
  })

  it.each([
    ["nobody", "There is no worker nobody."],
    ["Ada", "You can't send a message to yourself."],
  ])("to %s is refused", (to, message) => {
    expect(sendMessage(teamIn(members()), { from: "wkr_Ada", to, content: "Hello", messageId: "msg_1" })).toMatchObject(
      { message },
    )
  })
})

describe("a team that is stopped", () => {
  const atWork = () => {
    const claim: NewEvent = { ...claimed(), run_id: "run_a", agent_id: "wkr_Ada" }
    return stateAfter([claim], { state: started(teamWith([node("a")]), "a") })
  }
  const ofNode = { run_id: "run_a", agent_id: "wkr_Ada" }

  it("asks its workers to stop in the same batch, and has their nodes wait, even if it goes on before they have stopped", () => {
    let state = atWork()
    expect(verdict(stopTeam("Stop"), state)).toEqual(["team_stopped", "run_cancel_requested"])
    state = grown(state, stopTeam("Stop")(state))
    expect(verdict(stopTeam("Stop"), state)).toEqual([])
    state = grown(state, setTeam("resumed")(state))
    state = stateAfter([{ ...cancelled(), ...ofNode }], { state })
    expect(teamIn(state).nodes.a).toMatchObject({ status: "assigned", workerId: "wkr_Ada" })
  })

  it("leaves a node failed whose run a person cancelled before", () => {
    let state = atWork()
    state = stateAfter([{ type: "run_cancel_requested", ...ofNode, reason: "No." }], { state })
    state = grown(state, stopTeam("Stop")(state))
    state = stateAfter([{ ...cancelled(), ...ofNode }], { state })
    expect(teamIn(state).nodes.a).toMatchObject({ status: "failed", result: "asked" })
  })

  it("wakes whoever waits for it to go on", () => {
    const parkedFor: NewEvent = {
      ...{ type: "run_parked", run_id: "run_1", agent_id: "coordinator", generation: 1, reason: "stopped" },
      waits_for: { team: true },
    }
    let state = atWork()
    state = grown(state, stopTeam("Stop")(state))
    state = stateAfter([{ ...claimed(), agent_id: "coordinator" }, parkedFor], { state })
    expect(verdict(setTeam("resumed"), state)).toEqual(["team_resumed", resumed().type])
  })
})

it.each([
  ["all_must_complete", ["planning", "running", "running", "running", "reconvening"]],
  ["majority", ["planning", "running", "running", "reconvening", "reconvening"]],
  ["any", ["planning", "reconvening", "reconvening", "reconvening", "reconvening"]],
] as const)("has a stage with the policy %s reconvene in time", (checkpointPolicy, statuses) => {
  let state = teamWith([])
  for (const id of ["a", "b", "c", "d"])
    state = grown(
      state,
      createNode(teamIn(state), { ...node(id), stage: "draft", contract: { checkpoint_policy: checkpointPolicy } }),
    )
  const status = () => teamIn(state).stages.map((stage) => statusOfStage(teamIn(state), stage))
  const seen = [status()]
  for (const id of ["a", "b", "c"]) {
    state = completedNode(started(state, id), id)
    seen.push(status())
  }
  const failed: NewEvent = { type: "work_node_failed", run_id: "run_d", node_id: "d", reason: "No." }
  state = stateAfter([failed], { state: started(state, "d") })
  seen.push(status())
  expect(seen).toEqual(statuses.map((one) => [one]))
  const reopened = grown(state, reopenNode(teamIn(state), "d"))
  const [stage] = teamIn(reopened).stages
  expect(stage && statusOfStage(teamIn(reopened), stage)).toBe(
    checkpointPolicy === "all_must_complete" ? "running" : "reconvening",
  )
  const ended = grown(state, reconvene(teamIn(state), undefined, "Good."))
  expect(currentStage(teamIn(ended))).toBeUndefined()
  expect(createNode(teamIn(ended), { ...node("e"), stage: "draft" })).toBeInstanceOf(AppError)
  expect(reconvene(teamIn(ended), "draft", "Again.")).toBeInstanceOf(AppError)
})

it("has a stage reconvene when its time is up, told once, and limits the calls for its nodes", () => {
  const contract = { checkpoint_policy: "all_must_complete" as const, timeout_seconds: 60, max_iterations: 3 }
  let state = teamWith([])
  for (const id of ["a", "b"])
    state = grown(state, createNode(teamIn(state), { ...node(id), stage: "draft", contract }))
  expect(timedStages(teamIn(state))).toEqual([])
  state = started(state, "a")
  const [timed] = timedStages(teamIn(state))
  const endsAt = Date.parse(timed?.endsAt ?? "")
  expect(timeOutStages(teamIn(state), endsAt - 1)).toEqual([])
  state = grown(state, timeOutStages(teamIn(state), endsAt))
  expect(timeOutStages(teamIn(state), endsAt + 1)).toEqual([])
  const [stage] = teamIn(state).stages
  expect(stage && statusOfStage(teamIn(state), stage)).toBe("reconvening")
  expect(teamIn(state).nodes).toMatchObject({ a: { status: "failed" }, b: { status: "pending" } })
  expect(runsToCancel(state)).toEqual([{ runId: "run_a", reason: "The stage draft timed out." }])
  expect(teamIn(state).inboxes.coordinator).toContain(stage?.metSeq)
  expect(stagesMetAt(teamIn(state), stage?.metSeq ?? 0)).toEqual([
    expect.stringContaining("end the stage with reconvene"),
  ])
  expect([iterationsFor(teamIn(state), "a", 20), iterationsFor(teamIn(state), "none", 20)]).toEqual([3, 20])
})

it("leaves alone what a program has done, and the other stages, when the time of one is up", () => {
  let state = teamWith([])
  state = grown(state, spawnWorker(teamIn(state), worker("Lin")))
  for (const [id, stage, by, contract] of [
    ["a", "draft", "Ada", { timeout_seconds: 60 }],
    ["b", "review", "Lin", {}],
  ] as const) {
    const policy = { checkpoint_policy: "all_must_complete" as const, ...contract }
    state = started(grown(state, createNode(teamIn(state), { ...node(id), stage, contract: policy })), id, by)
  }
  const [timed] = timedStages(teamIn(state))
  const ended = Date.parse(timed?.endsAt ?? "")
  expect(timeOutStages(teamIn(state), ended)).toMatchObject([{ node_id: "a" }, { stage: "draft", stopped: ["a"] }])
  const { nodes } = teamIn(state)
  const done = { ...teamIn(state), nodes: { ...nodes, a: { ...nodes.a, isDone: true } } } as TeamState
  expect(timeOutStages(done, ended)).toMatchObject([{ stage: "draft", stopped: [] }])
})

it("takes a person's message once for each key, and without one each time", () => {
  const said = { to: "coordinator", content: "Go on.", messageId: "msg_1", key: "k1" }
  const once = grown(begun(), sayToTeam(said)(begun()))
  expect(verdict(sayToTeam(said), once)).toEqual([])
  expect(verdict(sayToTeam({ ...said, key: "k2" }), once)).toEqual(["team_message_sent"])
  expect(verdict(sayToTeam({ ...said, key: undefined }), once)).toEqual(["team_message_sent"])
})

it("has one team at a time in a session", () => {
  const state = begun()
  expect(verdict(startTeam("run_2", { goal: "Another", max_concurrent: 1 }), state)).toBe("team_refused")
  const ended = stateAfter([{ ...completed(), agent_id: "coordinator" }], { state })
  expect(verdict(startTeam("run_2", { goal: "Another", max_concurrent: 1 }), ended)).toEqual(["team_started"])
})
