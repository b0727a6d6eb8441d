import type { NewEvent } from "@switchyard/core/events"
import { namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import { createRun } from "@switchyard/core/work/runs/admission"
import { describe, expect, it } from "vitest"
import { completed, created, opened, stateAfter, verdict } from "../../kernel/folded.ts"

/** Returns a run for each of this many agents, each in its own worktree. */
const agents = (count: number) => Array.from({ length: count }, (_, index) => agent(index, `tree-${index}`))
const agent = (id: number, worktree: string) => ({
  ...created(`run_${id}`, `agent-${id}`),
  kind: "agent" as const,
  ...namedWorktree(worktree),
})
const completedRun = ({ run_id, agent_id }: { run_id: string; agent_id: string }) => {
  return { ...completed(), run_id, agent_id } as NewEvent
}
/** Returns the state after these runs, each ended before the next began. */
const oneByOne = (runs: ReturnType<typeof agents>) => {
  return stateAfter([opened(), ...runs.flatMap((run) => [run, completedRun(run)])])
}

describe("the agents of a session", () => {
  it("are eight at most at a time", () => {
    const seven = stateAfter([opened(), ...agents(7)])
    expect(verdict(createRun(agent(8, "next")), seven)).toEqual(["run_created"])
    const eight = stateAfter([opened(), ...agents(8)])
    expect(createRun(agent(9, "next"))(eight)).toMatchObject({ code: "run_active", details: { limit: 8 } })
    expect(verdict(createRun(created("run_9", "workflow")), eight)).toBe("run_active")
    const again = stateAfter([completedRun(agent(3, ""))], { state: eight })
    expect(verdict(createRun(agent(9, "next")), again)).toEqual(["run_created"])
  })

  it("work in a worktree one after the other, and a workflow needs none", () => {
    const busy = stateAfter([opened(), agent(1, "shared")])
    const refusal = { code: "run_active", details: { run_id: "run_1", worktree: "shared" } }
    expect(createRun(agent(2, "shared"))(busy)).toMatchObject(refusal)
    expect(verdict(createRun(created("run_2", "workflow")), busy)).toEqual(["run_created"])
    const free = stateAfter([completedRun(agent(1, ""))], { state: busy })
    expect(verdict(createRun(agent(2, "shared")), free)).toEqual(["run_created"])
  })
})

describe("the worktrees of a session", () => {
  it("are fifty at most, main among them, and can be used again", () => {
    const next = createRun(agent(99, "next"))
    expect(verdict(next, oneByOne(agents(48)))).toEqual(["run_created"])
    const full = oneByOne(agents(49))
    expect(next(full)).toMatchObject({ code: "task_invalid", details: { limit: 50 } })
    expect(verdict(createRun(agent(99, "tree-7")), full)).toEqual(["run_created"])
    expect(verdict(createRun(agent(99, "main")), full)).toEqual(["run_created"])
  })

  it("have names that differ in more than case", () => {
    const one = oneByOne([agent(1, "api")])
    expect(createRun(agent(2, "API"))(one)).toMatchObject({ code: "task_invalid", details: { worktree: "api" } })
    expect(createRun(agent(2, "Main"))(one)).toMatchObject({ code: "task_invalid", details: { worktree: "main" } })
    expect(verdict(createRun(agent(2, "api-2")), one)).toEqual(["run_created"])
  })
})
