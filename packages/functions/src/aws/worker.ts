import { createWorktreePort } from "@switchyard/core/agents/runner/worktree-commands"
import type { ArchiveLaunch } from "@switchyard/core/files/archives/archive-job"
import { makeArchive } from "@switchyard/core/files/archives/archive-maker"
import { createStartCheck } from "@switchyard/core/sessions/requests/start-check"
import { executeInWorker } from "@switchyard/core/work/runs/execute"
import { runKinds } from "@switchyard/core/work/runs/kinds"
import type { DeliveryLaunch, Launch } from "@switchyard/core/work/runs/launcher"
import { createWorkerWorks } from "../compose-worker.ts"
import { createDemoModel } from "../demo-model.ts"
import { withoutTracing } from "../tracing.ts"
import { IMAGE_MACHINE } from "./check-machine.ts"
import { openCloud } from "./cloud.ts"
import { abortBeforeDeadline, type Invocation } from "./deadline.ts"
import { readPayload } from "./launcher.ts"
import type { RunnerLauncher } from "./runner-launcher.ts"
import { openRunners } from "./runners.ts"

/** Time reserved before the deadline for handing over a run. Appending alone may take 30 seconds. */
const HANDOVER_MARGIN_MS = 45_000

const cloud = await openCloud(withoutTracing(process.env), { writer: "worker" })
const { config, clock, logLine, core } = cloud
const runners = openRunners(cloud, process.env)
const works = createWorkerWorks(config, core.executor, {
  scripted: createDemoModel(clock),
  startCheck: runners && createStartCheck({ ...core.executor, launcher: { start: startRunner } }),
  checkMachine: async () => runners && IMAGE_MACHINE,
  worktrees: runners && createWorktreePort({ ...core.executor, launcher: { serve: runners.serve } }),
  // `start` isn't needed, because the sweep starts a run's next executor.
  launcher: { serve: runners?.serve },
})

/**
 * Executes a run, or as much of it as there is time for. Other payloads create an archive, deliver a webhook, launch a
 * session's runner, or look after waiting runners. No invocation waits for a runner slot.
 */
export async function handler(payload: unknown, context: Invocation): Promise<void> {
  const launch = readPayload(payload)
  if ("archive" in launch) return runArchive(launch.archive, context)
  if ("delivery" in launch) return runDelivery(launch.delivery, context)
  if ("warm" in launch) return tendRunners(context)
  if ("granted" in launch) {
    const { granted } = launch
    return launchRunner({ sid: granted }, (launcher, options) => launcher.resume(granted, options), context)
  }
  const { askedAt } = launch
  if ("serve" in launch) {
    const { serve } = launch
    return launchRunner({ sid: serve }, (launcher, options) => launcher.serve(serve, { askedAt, ...options }), context)
  }
  const { run } = launch
  if (runKinds[run.kind].executor === "worker") return execute(run, context)
  const { sid, runId } = run
  await launchRunner({ sid, runId }, (launcher, options) => launcher.start(run, { askedAt, ...options }), context)
}

/** Starts the runner for a check requested by a run. If that fails, the sweep starts it. */
async function startRunner(launch: Launch, options: { signal: AbortSignal }): Promise<void> {
  await runners?.start(launch, options).catch(cloud.report)
}

async function launchRunner(
  { sid, runId }: { sid: string; runId?: string },
  launch: (launcher: RunnerLauncher, options: { signal: AbortSignal }) => Promise<void>,
  context: Invocation,
): Promise<void> {
  if (!runners) throw new Error("Agents are disabled on this stage.")
  const startedAt = clock.monotonic()
  const signal = abortBeforeDeadline(context)
  try {
    await launch(runners, { signal })
  } catch (error) {
    // If time has run out, the sweep starts another worker that continues.
    if (!signal.aborted) throw error
  }
  logLine("runner", { sid, run_id: runId, duration_ms: elapsedMs(startedAt) })
  // The session may have been assigned a waiting runner, so start a replacement.
  if (cloud.warmRunners > 0) await tendRunners(context).catch(cloud.report)
}

async function tendRunners(context: Invocation): Promise<void> {
  await runners?.tend({ signal: abortBeforeDeadline(context) })
}

async function execute(launch: Launch, context: Invocation): Promise<void> {
  const executor = executorName(context)
  const startedAt = clock.monotonic()
  await executeInWorker({ ...core.executor, writer: executor, executor }, works, launch, {
    signal: abortBeforeDeadline(context, undefined, HANDOVER_MARGIN_MS),
    remainingMs: () => context.getRemainingTimeInMillis(),
  })
  const { runId, sid, expectedGeneration } = launch
  logLine("run", {
    run_id: runId,
    sid,
    generation: expectedGeneration + 1,
    executor,
    duration_ms: elapsedMs(startedAt),
  })
}

async function runArchive(launch: ArchiveLaunch, context: Invocation): Promise<void> {
  const maker = executorName(context)
  const startedAt = clock.monotonic()
  const made = await makeArchive({ ...core.executor, maker }, launch, { signal: abortBeforeDeadline(context) })
  const { sid, manifest, attempt } = launch
  logLine("archive", { sid, manifest, attempt, maker, made, duration_ms: elapsedMs(startedAt) })
}

async function runDelivery(launch: DeliveryLaunch, context: Invocation): Promise<void> {
  const { masterKey } = cloud
  if (!masterKey) throw new Error("MASTER_KEY is required to deliver webhooks.")
  const startedAt = clock.monotonic()
  const { createWebhookDelivery } = await import("../webhook-delivery.ts")
  const deliver = createWebhookDelivery({ core, masterKey, address: () => config.publicUrl })
  await deliver(launch, { signal: abortBeforeDeadline(context) })
  logLine("delivery", { sid: launch.sid, duration_ms: elapsedMs(startedAt) })
}

function executorName({ awsRequestId }: Invocation): string {
  return `lambda-${awsRequestId}`
}

function elapsedMs(startedAt: number): number {
  return Math.round(clock.monotonic() - startedAt)
}
