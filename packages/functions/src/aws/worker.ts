import type { ArchiveLaunch } from "@switchyard/core/files/archives/archive-job"
import { makeArchive } from "@switchyard/core/files/archives/archive-maker"
import { createModelRegistry } from "@switchyard/core/models/registry"
import { executeRun } from "@switchyard/core/work/runs/execute"
import { type Executor, runKinds } from "@switchyard/core/work/runs/kinds"
import type { Launch } from "@switchyard/core/work/runs/launcher"
import { createWorkflow } from "@switchyard/core/work/workflow/run-workflow"
import { createDemoModel } from "../demo-model.ts"
import { withoutTracing } from "../tracing.ts"
import { openCloud } from "./cloud.ts"
import { beforeTheEnd, type Invocation } from "./deadline.ts"
import { readPayload } from "./launcher.ts"
import { openRunners } from "./runners.ts"

/** A run that is still in a step then is handed over: to say so may take 30 seconds. */
const TO_HAND_OVER_MS = 45_000

const cloud = openCloud(withoutTracing(process.env), { writer: "worker" })
const { config, clock, logLine, core } = cloud
const models = createModelRegistry(config.models, { scripted: createDemoModel(clock) })
const runners = openRunners(cloud, process.env)
const work = createWorkflow({ ...core.executor, openModel: (name, apiKey) => models.open(name, "general", apiKey) })

/** Executes one run, or as much of it as there is time for; makes one archive; or sees to it that a session has a runner. */
export async function handler(payload: unknown, context: Invocation): Promise<void> {
  const launch = readPayload(payload)
  if ("archive" in launch) return pack(launch.archive, context)
  if ("serve" in launch) return bring(launch.serve, undefined, context)
  await executors[runKinds[launch.run.kind].executor](launch.run, context)
}

const executors: Record<Executor, (launch: Launch, context: Invocation) => Promise<void>> = {
  worker: execute,
  runner: (launch, context) => bring(launch.sid, launch, context),
}

async function bring(sid: string, launch: Launch | undefined, context: Invocation): Promise<void> {
  if (!runners) throw new Error("Agents are switched off on this stage.")
  const began = clock.monotonic()
  const signal = beforeTheEnd(context)
  try {
    await (launch ? runners.start(launch, { signal }) : runners.serve(sid, { signal }))
  } catch (error) {
    // The sweep has another worker go on.
    if (!signal.aborted) throw error
  }
  line("runner", { sid, run_id: launch?.runId, duration_ms: since(began) })
}

async function execute(launch: Launch, context: Invocation): Promise<void> {
  const executor = nameOf(context)
  const began = clock.monotonic()
  await executeRun({ ...core.executor, writer: executor, executor, kind: "workflow", work }, launch, {
    signal: beforeTheEnd(context, undefined, TO_HAND_OVER_MS),
    remainingMs: () => context.getRemainingTimeInMillis(),
  })
  const { runId, sid, expectedGeneration } = launch
  line("run", { run_id: runId, sid, generation: expectedGeneration + 1, executor, duration_ms: since(began) })
}

async function pack(launch: ArchiveLaunch, context: Invocation): Promise<void> {
  const maker = nameOf(context)
  const began = clock.monotonic()
  const made = await makeArchive({ ...core.executor, maker }, launch, { signal: beforeTheEnd(context) })
  const { sid, manifest, attempt } = launch
  line("archive", { sid, manifest, attempt, maker, made, duration_ms: since(began) })
}

function nameOf({ awsRequestId }: Invocation): string {
  return `lambda-${awsRequestId}`
}

function since(began: number): number {
  return Math.round(clock.monotonic() - began)
}
