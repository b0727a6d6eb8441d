import { DescribeTableCommand } from "@aws-sdk/client-dynamodb"
import { DescribeTasksCommand, type ECSClient } from "@aws-sdk/client-ecs"
import type { LambdaClient } from "@aws-sdk/client-lambda"
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb"
import type { DeployedStage } from "./find-stage.ts"
import { pauseFunctions, stopRunners } from "./pause.ts"
import type { Reserved } from "./reserved.ts"

interface EndDeps {
  lambda: LambdaClient
  ecs: ECSClient
  dynamo: DynamoDBDocumentClient
  reserved: Reserved
  sleep: (ms: number, options: { signal: AbortSignal }) => Promise<unknown>
  say: (text: string) => void
}

/** Maximum number of tasks that ECS describes at once. */
const DESCRIBED_AT_ONCE = 100
const ASKED_EVERY_MS = 5000

/**
 * Stops the agents' containers of a stage that is about to be removed, and waits until they are gone, because AWS
 * doesn't delete a cluster or a network that is in use. Meanwhile, the worker is paused, so that it starts no others.
 * Returns a function that resumes the worker. If anything fails, or the stage is protected, the worker isn't paused.
 */
export async function endRunners(
  deps: EndDeps,
  stage: DeployedStage,
  options: { signal: AbortSignal },
): Promise<() => Promise<void>> {
  const { lambda, dynamo, reserved } = deps
  const { table, cluster, functions } = stage
  if (cluster === undefined) return async () => {}
  const { Table } = await dynamo.send(new DescribeTableCommand({ TableName: table }))
  if (Table?.DeletionProtectionEnabled)
    throw new Error(
      "The stage is protected, so nothing was changed. See docs/deploy.md for how to take down production.",
    )
  const worker = functions.filter((name) => name.includes("-WorkerFunction-"))
  const resume = await pauseFunctions(lambda, worker, reserved)
  try {
    await stopAll(deps, { ...stage, cluster }, options)
    return resume
  } catch (error) {
    await resume()
    options.signal.throwIfAborted()
    throw error
  }
}

async function stopAll(
  { ecs, sleep, say }: EndDeps,
  stage: DeployedStage & { cluster: string },
  { signal }: { signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const tasks = await stopRunners(ecs, stage, "The stage is being removed.")
    if (tasks.length === 0) return
    say(`Stopping the agents' containers (${tasks.length}). This takes about a minute.`)
    for (let at = 0; at < tasks.length; at += DESCRIBED_AT_ONCE) {
      const command = new DescribeTasksCommand({
        cluster: stage.cluster,
        tasks: tasks.slice(at, at + DESCRIBED_AT_ONCE),
      })
      const isStopped = async () => {
        const { tasks = [] } = await ecs.send(command, { abortSignal: signal })
        return tasks.every(({ lastStatus }) => lastStatus === "STOPPED")
      }
      while (!(await isStopped())) await sleep(ASKED_EVERY_MS, { signal })
    }
    // A worker that was already running may have started another container meanwhile.
  }
}
