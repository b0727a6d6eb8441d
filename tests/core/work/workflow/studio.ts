import { AppError } from "@switchyard/core/errors"
import type { ModelProvider } from "@switchyard/core/models/provider"
import { type Clock, systemClock } from "@switchyard/core/time"
import { type ExecuteOptions, executeRun } from "@switchyard/core/work/runs/execute"
import { createWorkflow } from "@switchyard/core/work/workflow/run-workflow"
import type { WorkflowInput } from "@switchyard/core/work/workflow/schema"
import type { Stores } from "../../../fixtures/stores.ts"
import { openSessionBench } from "../session-bench.ts"

const signal = new AbortController().signal

/** Waits shortly wherever the product waits long, so that nothing here depends on how long that is. */
const clock: Clock = { ...systemClock, sleep: (ms, options) => systemClock.sleep(Math.min(ms, 3), options) }

/** The machine that would run checks. */
export const machine = { system: "Testix 1", programs: { node: "24.1.0" } }

export type Studio = Awaited<ReturnType<typeof openStudio>>

interface Options extends Partial<ExecuteOptions> {
  on?: Stores
  filesAtOnce?: number
  /** No review unless given; null stands for what the product does by default. */
  review?: boolean | null
  /** Providers that take over, by the names of their models. A null stands for one without a key. */
  fallbacks?: Record<string, ModelProvider | null>
}

/** A session on stores of its own, or another one on those that there are, and executors for its workflows. */
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
    /** Executes the run as whoever is launched next would; on other stores, if any are given. */
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
