import { claimRun, endRun, parkRun, resumeRun } from "@switchyard/core/work/runs/rules"
import { activeRuns, runOf } from "@switchyard/core/work/runs/state"
import { orThrow, teamOf } from "@switchyard/core/work/teams/refusals"
import { setTeam, stopTeam } from "@switchyard/core/work/teams/team-rules"
import { describe, expect, it } from "vitest"
import type { Stores } from "../../../fixtures/stores.ts"
import { planModel, type TeamPlan } from "../../../functions/agents/team-plan.ts"
import { cases } from "../../../settings.ts"
import { mortal } from "../mortal-stores.ts"
import { openTeamBench, type TeamBench } from "./team-bench.ts"

const plan: TeamPlan = {
  workers: ["Ada", "Lin"].map((name) => ({ name, type: "mock" })),
  nodes: [
    { id: "one", worker: "Ada", deps: [], task: "One" },
    { id: "two", worker: "Lin", deps: [], task: "Two" },
  ],
}
const program = { name: "mock", cli: "mock", account: null, model: null, reasoning: null } as const
const agents = { choices: [program], repository: "/repository", mode: "bypass" as const }

/** Starts a team with two programs that wait. */
async function teamAtWork() {
  const bench = await openTeamBench()
  await bench.start("Two", 4, "finite", { agents })
  await bench.drive(planModel(() => plan))
  for (const id of ["one", "two"]) {
    const runId = await runOfNode(bench, id)
    await bench.decide(claimRun(runId, "runner", 0))
    await bench.decide(parkRun(runId, 1, { reason: "It asked something.", waitsFor: null, now: Date.now() }))
  }
  return bench
}

/** Starts a paused team. Only a request wakes its coordinator, so the sweep leaves it alone. */
async function pausedTeam() {
  const bench = await teamAtWork()
  await bench.change(setTeam("paused"))
  await bench.decide(resumeRun(orThrow(teamOf(await bench.state())).runId))
  await bench.recover()
  await bench.drive(planModel(() => plan))
  await bench.sweep()
  return bench
}

async function nodesOf(bench: TeamBench) {
  const state = await bench.state()
  const { nodes } = orThrow(teamOf(state))
  return ["one", "two"].map((id) => {
    const node = nodes[id]
    const run = runOf(state, node?.runs.at(-1)?.runId ?? "")
    return { node: node?.status, run: run?.status }
  })
}

async function runOfNode(bench: TeamBench, id: string): Promise<string> {
  return orThrow(teamOf(await bench.state())).nodes[id]?.runs.at(-1)?.runId ?? ""
}

const both = (node: string, run: string) => [
  { node, run },
  { node, run },
]
const ways = {
  stop: {
    begin: teamAtWork,
    end: (bench: TeamBench, on: Stores) => bench.change(stopTeam("Enough."), { on }),
  },
  cancel: { begin: pausedTeam, end: (bench: TeamBench, on: Stores) => bench.cancel({ on }) },
}

describe("the programs of a team", () => {
  it.each(
    (
      [
        ["stop", "lost", "team_stopped", both("assigned", "cancelled")],
        ["cancel", "lost", "run_cancelled", both("failed", "cancelled")],
        ["stop", "done", "team_stopped", both("assigned", "cancelled")],
        ["cancel", "done", "run_cancelled", both("failed", "cancelled")],
      ] as const
    ).slice(0, cases({ usual: 2, deep: 4 })),
  )(
    "end with it, at whichever of its writes the process of a %s dies (the last one %s)",
    async (way, lastWrite, decision, expected) => {
      for (let nth = 1; ; nth++) {
        const bench = await ways[way].begin()
        const { on, writes } = mortal(bench.stores, nth, lastWrite)
        await ways[way].end(bench, on).catch((error) => {
          if (writes() < nth) throw error
        })
        const isDead = writes() >= nth
        if (isDead) await bench.sweep()
        const isDecided = (await bench.eventsOf(decision)).length > 0
        expect(await nodesOf(bench), `${way} killed at write ${nth}`).toEqual(
          isDecided ? expected : both("running", "parked"),
        )
        await bench.close()
        if (!isDead) break
      }
    },
  )

  it("leave their nodes as they end, also where the team was first", async () => {
    const bench = await teamAtWork()
    const two = await runOfNode(bench, "two")
    await bench.decide(resumeRun(two))
    await bench.decide(claimRun(two, "runner", 1))
    await bench.decide(endRun(two, 2, Date.now(), { type: "run_completed" }))
    expect((await nodesOf(bench))[1]).toEqual({ node: "running", run: "completed" })
    await bench.cancel()
    expect(await nodesOf(bench)).toEqual([
      { node: "failed", run: "cancelled" },
      { node: "failed", run: "completed" },
    ])
    const team = orThrow(teamOf(await bench.state()))
    expect(team.nodes.two?.result).toBe("The team ended before this was completed.")
    expect(activeRuns(await bench.state())).toEqual([])
    await bench.close()
  })
})
