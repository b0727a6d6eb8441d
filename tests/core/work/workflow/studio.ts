import { AppError } from "@switchyard/core/errors"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { type Clock, systemClock } from "@switchyard/core/time"
import { type ExecuteOptions, executeRun } from "@switchyard/core/work/runs/execute"
import { createWorkflow } from "@switchyard/core/work/workflow/run-workflow"
import type { WorkflowInput } from "@switchyard/core/work/workflow/schema"
import type { Stores } from "../../../fixtures/stores.ts"
import { openSessionBench } from "../session-bench.ts"

const signal = new AbortController().signal

/** Shortens long waits, so that tests don't depend on their lengths. */
const clock: Clock = { ...systemClock, sleep: (ms, options) => systemClock.sleep(Math.min(ms, 3), options) }

/** The machine that would run the checks. */
export const machine = { system: "Testix 1", programs: { node: "24.1.0" } }

export type Studio = Awaited<ReturnType<typeof openStudio>>

interface Options extends Partial<ExecuteOptions> {
  on?: Stores
  filesAtOnce?: number
  /** False by default. Null uses the product's default. */
  review?: boolean | null
  /** Fallback providers by model name. Null stands for a provider without a key. */
  fallbacks?: Record<string, ModelProvider | null>
}

/** Opens a session with executors for its workflows. Creates new stores unless `given`. */
export async function openStudio(given?: Stores) {
  const bench = await openSessionBench(given, { clock })
  const { stores, sid, runs, depsOn } = bench
  return {
    ...bench,
    async start(input: Partial<WorkflowInput> = {}, model = "scripted/test") {
      const request = { user_prompt: "Make a thing.", recursion_limit: 100, ...input }
      const asked = { model, kind: "workflow" as const, input: request }
      return (await runs.start({ ...bench.about, ...asked }, { signal })).runId
    },
    /** Executes the run like the next launched executor, optionally on other stores. */
    async execute(
      runId: string,
      provider: ModelProvider,
      { on = stores, filesAtOnce, review = false, fallbacks = {}, ...options }: Options = {},
    ) {
      const deps = depsOn(on)
      const openModel = (name: string) => {
        const other = fallbacks[name]
        if (other === null) throw new AppError("invalid_request", "There is no key.")
        return { provider: other ?? provider, model: name.slice(name.indexOf("/") + 1) }
      }
      const work = createWorkflow({
        ...deps,
        checkMachine: async () => machine,
        ...{ filesAtOnce, review: review ?? undefined, openModel, fallbackModels: Object.keys(fallbacks) },
      })
      const executor = { ...bench.executorOn(deps), kind: "workflow" as const, work }
      const { generation } = await bench.run(runId)
      await executeRun(executor, { sid, runId, expectedGeneration: generation }, { signal, ...options })
    },
  }
}
