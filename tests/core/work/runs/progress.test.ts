import type { LogEvent } from "@switchyard/core/events"
import { advanceProgress, currentStep, noProgress, type RunProgress } from "@switchyard/core/work/runs/progress"
import { runsPart } from "@switchyard/core/work/runs/state"
import { advanceResumePoint } from "@switchyard/core/work/workflow/checkpoints/resume-point"
import { beginStream, projectEvent } from "@switchyard/core/work/workflow/stream/projection"
import fc from "fast-check"
import { emptyStatus, reduceStatus } from "switchyard/output/status-view"
import { describe, expect, it } from "vitest"
import { toEvent } from "../../../../packages/web/src/session/stream/event.ts"
import { emptyView, reduceView } from "../../../../packages/web/src/session/stream/view.ts"

const RUN = { run_id: "run_1", agent_id: "main", session_id: "s" }

/** Events of one run whose nodes begin and end. Some nodes begin again after an executor was replaced. */
const runs = fc
  .record({ files: fc.integer({ min: 1, max: 4 }), retold: fc.array(fc.nat(12), { maxLength: 4 }), until: fc.nat(14) })
  .map(({ files, retold, until }) => logOf(files, retold).slice(0, until + 1))

function logOf(files: number, retold: number[]): LogEvent[] {
  const paths = Array.from({ length: files }, (_, at) => `src/${at}.ts`)
  const plan = {
    name: "n",
    description: "",
    techstack: "",
    features: [],
    files: paths.map((path) => ({ path, purpose: "" })),
  }
  const steps = paths.map((file_path) => ({ file_path, task_description: "" }))
  const visits: [string, object][] = [
    ["planner", { plan, planned_files: files }],
    ["architect", { task_plan: { implementation_steps: steps }, total_steps: files }],
    ...paths.map((file_path, at): [string, object] => [
      "coder",
      { file_path, current_step_idx: at + 1, total_steps: files },
    ]),
    ["coder", { status: "DONE" }],
  ]
  const nodes = visits.flatMap(([node, update], at) => {
    const iteration = Math.max(1, at - 1)
    const visit = { node, iteration, namespace: [], step: at, task_id: "t" }
    const began = { type: "node_started", ...visit, triggers: [] }
    // An interrupted visit begins again.
    const again = retold.includes(at) ? [{ type: "run_claimed", generation: 2, executor: "e" }, began] : []
    return [began, ...again, { type: "node_finished", ...visit, duration_ms: 1, update }]
  })
  const input = { user_prompt: "Make a thing.", recursion_limit: 100 }
  const created = { type: "run_created", kind: "workflow", model: "m", input, owner: "me" }
  return [created, ...nodes].map((event, at) => {
    const ts = new Date(at).toISOString()
    return { ...RUN, ...event, event_id: `e${at}`, seq: at + 1, ts } as unknown as LogEvent
  })
}

describe("the progress of a run", () => {
  it("is the same for its executor, its session's state, its stream, the studio and the command line", () => {
    fc.assert(
      fc.property(runs, (log) => {
        const progress = log.reduce<RunProgress>(advanceProgress, noProgress)
        const { stepsFinished: step, stepsTotal: total } = progress

        const nodes = log.filter((event) => event.type === "node_started" || event.type === "node_finished")
        const resumed = nodes.reduce(
          (point, event) => advanceResumePoint(point, event as Parameters<typeof advanceResumePoint>[1]),
          noProgress as ReturnType<typeof advanceResumePoint>,
        )
        expect(resumed).toMatchObject(progress)
        expect(resumed.taskPlan?.implementation_steps.map(({ file_path }) => file_path) ?? []).toEqual(progress.steps)

        const state = log.reduce(runsPart.apply, runsPart.initial)
        expect(state.byId[RUN.run_id]?.progress).toEqual(total === null ? null : { step, total })

        const stream = log.reduce((view, event) => projectEvent(view, event).view, beginStream(RUN.run_id, "s"))
        expect(stream.progress).toEqual(progress)

        expect(log.map(toEvent).reduce(reduceView, emptyView).graph).toMatchObject(progress)
        expect((log as Parameters<typeof reduceStatus>[1][]).reduce(reduceStatus, emptyStatus).progress).toEqual(
          progress,
        )
      }),
    )
  })

  it("counts steps from one, names the file, and has no step after the last", () => {
    const log = logOf(2, [])
    const steps = log.map((_, at) => currentStep(log.slice(0, at + 1).reduce<RunProgress>(advanceProgress, noProgress)))
    const told = steps.map((step) => (step ? `${step.number}/${step.total} ${step.path}` : null))
    expect([...new Set(told)]).toEqual([null, "1/2 src/0.ts", "2/2 src/1.ts"])
    expect(told.at(-1)).toBeNull()
  })

  it("takes nothing from an update that was too large for its event, and the number of steps from the next", () => {
    const update = { sha256: "x", size_bytes: 40_000, key: "k" }
    const after = advanceProgress(noProgress, { type: "node_finished", node: "architect", update })
    expect(after).toEqual(noProgress)
    const next = { current_step_idx: 1, total_steps: 3 }
    const later = advanceProgress(after, { type: "node_finished", node: "coder", update: next })
    expect(currentStep(later)).toEqual({ number: 2, total: 3, path: undefined })
  })
})
