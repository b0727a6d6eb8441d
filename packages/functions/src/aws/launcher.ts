import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda"
import type { ArchiveLaunch, Launch, Launcher } from "@switchyard/core/runs/launcher"
import * as z from "zod"

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
export function createLambdaLauncher(deps: {
  client: LambdaClient
  worker: string
  report: (error: unknown) => void
}): Launcher {
  async function invoke(payload: z.infer<typeof Payload>, { signal }: { signal: AbortSignal }): Promise<void> {
    const command = new InvokeCommand({
      FunctionName: deps.worker,
      InvocationType: "Event",
      Payload: Buffer.from(JSON.stringify(payload)),
    })
    await deps.client.send(command, { abortSignal: signal }).catch(deps.report)
  }

  return {
    start: ({ runId, sid, expectedGeneration }, options) =>
      invoke({ run_id: runId, sid, expected_generation: expectedGeneration }, options),
    startArchive: ({ manifest, ...rest }, options) => invoke({ archive: manifest, ...rest }, options),
  }
}

export function createLambdaClient(): LambdaClient {
  return new LambdaClient({})
}

/** For functions that start nothing. */
export const noLauncher: Launcher = {
  async start() {
    throw new Error("This function starts no runs.")
  },
}
