import { createModels } from "@switchyard/core/models/catalog"
import { createDemoProvider } from "@switchyard/core/models/demo/provider"
import { executeRun } from "@switchyard/core/runs/execute"
import { createWorkflow } from "@switchyard/core/workflow/work"
import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { beforeTheEnd, type Invocation } from "./deadline.ts"
import { readLaunch } from "./launcher.ts"

/** A run that is still in a step then is handed over: to say so may take 30 seconds. */
const TO_HAND_OVER_MS = 45_000
const DEMO_PACE_MS = 15

const cloud = openCloud(withoutTracing(process.env), { writer: "worker" })
const { config, clock, line, core } = cloud
const scripted = createDemoProvider({ paceMs: DEMO_PACE_MS, sleep: (ms, signal) => clock.sleep(ms, { signal }) })
const models = createModels(config.models, { scripted })
const work = createWorkflow({ ...core.executor, openModel: (name, apiKey) => models.open(name, "general", apiKey) })

/** Executes one run, or as much of it as there is time for. */
export async function handler(payload: unknown, context: Invocation): Promise<void> {
  const launch = readLaunch(payload)
  const executor = `lambda-${context.awsRequestId}`
  const began = clock.monotonic()
  await executeRun({ ...core.executor, writer: executor, executor, work }, launch, {
    signal: beforeTheEnd(context, undefined, TO_HAND_OVER_MS),
    remainingMs: () => context.getRemainingTimeInMillis(),
  })
  const { runId, sid, expectedGeneration } = launch
  const durationMs = Math.round(clock.monotonic() - began)
  line("run", { run_id: runId, sid, generation: expectedGeneration + 1, executor, duration_ms: durationMs })
}
