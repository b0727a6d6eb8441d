import type { ArchiveLaunch } from "@switchyard/core/files/archives/archive-job"
import { isForRunner, RunKind } from "@switchyard/core/work/runs/kinds"
import type { DeliveryLaunch, Launch, Launcher } from "@switchyard/core/work/runs/launcher"
import * as z from "zod"
import { createLazyInvoke } from "./lazy-invoke.ts"

const RunPayload = z.object({
  run_id: z.string(),
  sid: z.string(),
  expected_generation: z.int().min(0),
  kind: RunKind,
  asked_at: z.number().optional(),
})

const ServePayload = z.object({ serve: z.string(), asked_at: z.number().optional() })

const GrantedPayload = z.object({ granted: z.string() })

const ArchivePayload = z.object({
  archive: z.string(),
  sid: z.string(),
  incarnation: z.int().min(1),
  attempt: z.int().min(1),
})

const DeliveryPayload = z.object({ deliver: z.string(), sid: z.string(), owner: z.string() })

const WarmPayload = z.object({ warm: z.literal("keep") })

/**
 * Worker payloads: execute or launch a run, serve a session, launch a session that got a runner slot, create an archive,
 * deliver a webhook, or start and stop waiting runners. `asked_at` is the time of the request in Unix milliseconds.
 * Launches of an earlier version lack it.
 */
const Payload = z.union([RunPayload, ServePayload, GrantedPayload, ArchivePayload, DeliveryPayload, WarmPayload])
export type Payload = z.infer<typeof Payload>

type Work =
  | { run: Launch; askedAt: number | undefined }
  | { serve: string; askedAt: number | undefined }
  | { granted: string }
  | { archive: ArchiveLaunch }
  | { delivery: DeliveryLaunch }
  | { warm: "keep" }

export function readPayload(payload: unknown): Work {
  const read = Payload.parse(payload)
  if ("granted" in read || "warm" in read) return read
  if ("serve" in read) return { serve: read.serve, askedAt: read.asked_at }
  if ("deliver" in read) return { delivery: { delivery: read.deliver, sid: read.sid, owner: read.owner } }
  if ("archive" in read) {
    const { archive: manifest, ...rest } = read
    return { archive: { manifest, ...rest } }
  }
  const { run_id, sid, expected_generation, kind, asked_at } = read
  return { run: { runId: run_id, sid, expectedGeneration: expected_generation, kind }, askedAt: asked_at }
}

/** A worker counts as dead if it hasn't reported for this long while starting a runner. */
const START_RUNNER_WITHIN_MS = 180_000

/**
 * Launches each piece of work in its own worker. For agents, the worker starts a runner, because only a worker has the
 * master key, permission to start tasks, and enough time. If Lambda rejects a launch, the error is reported and the
 * sweep tries again later.
 */
export function createLambdaLauncher(deps: {
  worker: string
  agents: boolean
  now: () => number
  report: (error: unknown) => void
}): Launcher {
  const invoke = createLazyInvoke()

  async function launch(payload: Payload, options: { signal: AbortSignal }): Promise<void> {
    try {
      await invoke(deps.worker, payload, options)
    } catch (error) {
      deps.report(error)
    }
  }

  return {
    async start({ runId, sid, expectedGeneration, kind }, options) {
      // The run may have been created before agents were disabled.
      if (isForRunner({ kind }) && !deps.agents)
        return deps.report(new Error(`Agents are disabled: no runner can be started for ${runId}.`))
      const asked_at = deps.now()
      await launch({ run_id: runId, sid, expected_generation: expectedGeneration, kind, asked_at }, options)
    },
    ...(deps.agents && {
      startWithinMs: { runner: START_RUNNER_WITHIN_MS },
      serve: (sid: string, options: { signal: AbortSignal }) => launch({ serve: sid, asked_at: deps.now() }, options),
    }),
    startDelivery: ({ delivery, ...rest }, options) => launch({ deliver: delivery, ...rest }, options),
    startArchive: ({ manifest, ...rest }, options) => launch({ archive: manifest, ...rest }, options),
  }
}

/** Launcher for functions that never start runs. */
export const noLauncher: Launcher = {
  async start() {
    throw new Error("This function can't start runs.")
  },
}
