import { DescribeTableCommand } from "@aws-sdk/client-dynamodb"
import { ClusterNotFoundException, DescribeTasksCommand, type ECSClient } from "@aws-sdk/client-ecs"
import { type LambdaClient, ResourceNotFoundException } from "@aws-sdk/client-lambda"
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb"
import type { DeployedStage } from "./find-stage.ts"
import { pauseFunctions, stopRunners } from "./pause.ts"
import type { Reserved } from "./reserved.ts"

interface StopDeps {
  ecs: ECSClient
  sleep: (ms: number, options: { signal: AbortSignal }) => Promise<unknown>
  say: (text: string) => void
}

interface EndDeps extends StopDeps {
  lambda: LambdaClient
  dynamo: DynamoDBDocumentClient
  reserved: Reserved
}

/** Maximum number of tasks that ECS describes at once. */
const DESCRIBED_AT_ONCE = 100
const ASKED_EVERY_MS = 2000
const REASON = "The stage is being removed."

/**
 * Stops the agents' containers of a stage that is about to be removed, and waits until they are gone, because AWS
 * doesn't delete a cluster or a network that is in use. Meanwhile, the worker is paused, so that it starts no new ones.
 * Returns a function that resumes the worker. If anything fails, or the stage is protected, the worker isn't paused.
 * `stage` is undefined if an earlier attempt has removed the functions.
 */
export async function endRunners(
  deps: EndDeps,
  cluster: string,
  stage: DeployedStage | undefined,
  { signal }: { signal: AbortSignal },
): Promise<() => Promise<void>> {
  const resume = stage ? await pauseWorker(deps, stage) : async () => {}
  try {
    await stopAll(deps, cluster, { signal })
    signal.throwIfAborted()
    return resume
  } catch (error) {
    await resume().catch(({ message }) => deps.say(message))
    signal.throwIfAborted()
    throw error
  }
}

/**
 * Stops all containers that start until the signal. A worker that was already running when it was paused may wait for
 * minutes before it starts a container.
 */
export async function keepStopping(
  { ecs, sleep, say }: StopDeps,
  cluster: string,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  try {
    while (!signal.aborted) {
      await stopRunners(ecs, { cluster }, REASON)
      await sleep(ASKED_EVERY_MS, { signal })
    }
  } catch (error) {
    if (signal.aborted || error instanceof ClusterNotFoundException) return
    say(`Containers that start now are no longer stopped: ${messageOf(error)}`)
  }
}

async function pauseWorker(
  { lambda, dynamo, reserved }: EndDeps,
  { table, functions }: DeployedStage,
): Promise<() => Promise<void>> {
  const { Table } = await dynamo.send(new DescribeTableCommand({ TableName: table }))
  if (Table?.DeletionProtectionEnabled)
    throw new Error(
      "The stage is protected, so nothing was changed. See docs/deploy.md for how to take down production.",
    )
  const worker = functions.filter((name) => name.includes("-WorkerFunction-"))
  const resume = await pauseFunctions(lambda, worker, reserved)
  return async () => {
    try {
      await resume()
    } catch (error) {
      // The worker has been removed.
      if (error instanceof ResourceNotFoundException) return
      throw new Error(
        `The worker is still paused: ${messageOf(error)}\n` +
          `To resume it: aws lambda delete-function-concurrency --function-name ${worker.join()}`,
      )
    }
  }
}

async function stopAll(
  { ecs, sleep, say }: StopDeps,
  cluster: string,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const tasks = await stopRunners(ecs, { cluster }, REASON)
    if (tasks.length === 0) return
    say(`Stopping the agents' containers (${tasks.length}). This takes about a minute.`)
    for (let at = 0; at < tasks.length; at += DESCRIBED_AT_ONCE) {
      const command = new DescribeTasksCommand({ cluster, tasks: tasks.slice(at, at + DESCRIBED_AT_ONCE) })
      const isStopped = async () => {
        const { tasks = [] } = await ecs.send(command, { abortSignal: signal })
        return tasks.every(({ lastStatus }) => lastStatus === "STOPPED")
      }
      while (!(await isStopped())) await sleep(ASKED_EVERY_MS, { signal })
    }
    // Another container may have started meanwhile.
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
