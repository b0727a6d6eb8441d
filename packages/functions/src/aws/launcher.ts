import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda"
import type { Launch, Launcher } from "@switchyard/core/runs/launcher"
import * as z from "zod"

/** What the worker is invoked with. */
const LaunchPayload = z.object({ run_id: z.string(), sid: z.string(), expected_generation: z.int().min(0) })

export function readLaunch(payload: unknown): Launch {
  const { run_id, sid, expected_generation } = LaunchPayload.parse(payload)
  return { runId: run_id, sid, expectedGeneration: expected_generation }
}

/** Starts each run in a worker of its own. A launch that Lambda doesn't take is reported and left to the sweep. */
export function createLambdaLauncher(deps: {
  client: LambdaClient
  worker: string
  report: (error: unknown) => void
}): Launcher {
  return {
    async start({ runId, sid, expectedGeneration }, { signal }) {
      const payload: z.infer<typeof LaunchPayload> = { run_id: runId, sid, expected_generation: expectedGeneration }
      const command = new InvokeCommand({
        FunctionName: deps.worker,
        InvocationType: "Event",
        Payload: Buffer.from(JSON.stringify(payload)),
      })
      await deps.client.send(command, { abortSignal: signal }).catch(deps.report)
    },
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
