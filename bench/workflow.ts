import { Annotation, END, START, StateGraph } from "@langchain/langgraph"
import { createLooseEnds } from "@switchyard/core/agents/runner/loose-ends"
import { sessionKey } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import { complete, type ModelProvider } from "@switchyard/core/models/provider"
import { createSealer } from "@switchyard/core/storage/sealing"
import { executeRun } from "@switchyard/core/work/runs/execute"
import { createReconcile } from "@switchyard/core/work/runs/reconcile"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { createRuns } from "@switchyard/core/work/runs/runs"
import { createWorkflow } from "@switchyard/core/work/workflow/run-workflow"
import { createCallCounter } from "./counted.ts"
import { createInstantModel, fileRequest, planRequest, taskRequest } from "./instant-model.ts"
import { compared, type Line, type Question, sideBySide, timed } from "./measure.ts"
import { newStage, type Stage, signal } from "./stage.ts"

export const workflow: Question = {
  asks: "What does the workflow take beyond its model?",
  answer: async () => [...(await runsOf(7)), ...(await runsOf(40))],
}

async function runsOf(files: number): Promise<Line[]> {
  const counter = createCallCounter()
  await using stage = await newStage({ around: counter.around })
  const provider = createInstantModel(files)
  const perFile = (run: () => Promise<void>) => async () => (await timed(run)) / files
  const time = await sideBySide(
    perFile(() => workflowRun(stage, provider)),
    perFile(() => bareLoop(provider, files)),
  )
  counter.take()
  await workflowRun(stage, provider)
  const { puts, writeUnits } = counter.take()
  const of = `a step of a run of ${files} files`
  return [
    compared(`${of}, without the model's time`, "ms", "bare LangGraph loop, same calls", time, {
      of: "value",
      atMost: 25,
    }),
    { what: `${of}: puts`, value: puts / files, unit: "times" },
    { what: `${of}: write units`, value: writeUnits / files, unit: "units" },
  ]
}

/** Plays a run in a new session, from the request to the last event. */
export async function workflowRun(
  stage: Stage,
  provider: ModelProvider,
  options: { filesAtOnce?: number } = {},
): Promise<void> {
  const { records, clock } = stage
  const keys = createRunSecrets(records, createSealer(new Uint8Array(32)), clock.now)
  const deps = { ...stage, keys, due: createDueList(records), index: createRunIndex(records) }
  const work = createWorkflow({ ...deps, review: false, ...options, openModel: () => ({ provider, model: "instant" }) })
  const report = (error: unknown) => {
    throw error
  }
  const closeLooseEnds = createLooseEnds({ ...deps, report })
  const runs = createRuns({ ...deps, report, closeLooseEnds, launcher: { start: async () => {} } })
  const sessionId = stage.newId("ws")
  const sid = sessionKey("bench", sessionId)
  const input = { user_prompt: "Make a thing.", recursion_limit: 100 }
  const kind = "workflow" as const
  const created = { owner: "bench", sid, sessionId, model: "scripted/instant", kind, input }
  const { runId } = await runs.start(created, { signal })
  const reconcile = createReconcile(deps)
  const common = { ...deps, reconcile, leases: deps.records, verboseErrors: true, report }
  const executor = { ...common, kind, work, executor: "bench" }
  await executeRun(executor, { sid, runId, expectedGeneration: 0 }, { signal })
  const { run } = await runs.get("bench", runId, { signal })
  if (run.status !== "completed") throw new Error(`The run is ${run.status}.`)
}

const Visits = Annotation.Root({ file: Annotation<number>() })

/** Runs a graph of the same shape that makes the same number of model calls and stores nothing. */
async function bareLoop(provider: ModelProvider, files: number): Promise<void> {
  const ask = (request: Parameters<typeof complete>[1]) => complete(provider, request, { signal })
  const graph = new StateGraph(Visits)
    .addNode("planner", async () => {
      await ask(planRequest)
      return { file: 0 }
    })
    .addNode("architect", async () => {
      await ask(taskRequest)
      return {}
    })
    .addNode("coder", async ({ file }) => {
      if (file === files) return { file: file + 1 }
      await ask(fileRequest(file))
      return { file: file + 1 }
    })
    .addEdge(START, "planner")
    .addEdge("planner", "architect")
    .addEdge("architect", "coder")
    .addConditionalEdges("coder", ({ file }) => (file > files ? END : "coder"), ["coder", END])
    .compile()
  await graph.invoke({ file: 0 }, { recursionLimit: files + 4 })
}
