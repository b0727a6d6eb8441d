import type { ArchiveLaunch, Launch, Launcher } from "@switchyard/core/runs/launcher"
import * as z from "zod"
import type { Invoke } from "./invoke.ts"

const RunPayload = z.object({ run_id: z.string(), sid: z.string(), expected_generation: z.int().min(0) })

const ArchivePayload = z.object({
  archive: z.string(),
  sid: z.string(),
  incarnation: z.int().min(1),
  attempt: z.int().min(1),
})

/** What the worker is invoked with: to execute a run, or to make an archive. */
const Payload = z.union([RunPayload, ArchivePayload])

export function readPayload(payload: unknown): { run: Launch } | { archive: ArchiveLaunch } {
  const read = Payload.parse(payload)
  if ("archive" in read) {
    const { archive: manifest, ...rest } = read
    return { archive: { manifest, ...rest } }
  }
  const { run_id, sid, expected_generation } = read
  return { run: { runId: run_id, sid, expectedGeneration: expected_generation } }
}

/** Starts each piece of work in a worker of its own. A launch that Lambda doesn't take is reported and left to the sweep. */
export function createLambdaLauncher(deps: { worker: string; report: (error: unknown) => void }): Launcher {
  let opening: Promise<Invoke> | undefined

  async function launch(payload: z.infer<typeof Payload>, options: { signal: AbortSignal }): Promise<void> {
    try {
      opening ??= openInvoke()
      const invoke = await opening
      await invoke(deps.worker, payload, options)
    } catch (error) {
      deps.report(error)
    }
  }

  return {
    async start({ runId, sid, expectedGeneration, kind }, options) {
      // The worker has no shell, and would take it for a workflow.
      if (kind === "agent") return deps.report(new Error(`There is no runner for ${runId}.`))
      await launch({ run_id: runId, sid, expected_generation: expectedGeneration }, options)
    },
    startArchive: ({ manifest, ...rest }, options) => launch({ archive: manifest, ...rest }, options),
  }
}

/** Loaded with the first launch: most requests start nothing. */
async function openInvoke(): Promise<Invoke> {
  const { createInvoke } = await import("./invoke.ts")
  return createInvoke()
}

/** For functions that start nothing. */
export const noLauncher: Launcher = {
  async start() {
    throw new Error("This function starts no runs.")
  },
}
