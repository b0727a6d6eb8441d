import { type ECSClient, paginateListTasks, StopTaskCommand } from "@aws-sdk/client-ecs"
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  type LambdaClient,
  PutFunctionConcurrencyCommand,
} from "@aws-sdk/client-lambda"
import type { DeployedStage } from "./find-stage.ts"
import type { Reserved } from "./reserved.ts"

/**
 * Pauses new invocations of all of a stage's functions, or of none. Running invocations continue. Returns a function
 * that restores the previous concurrency, or the stage's settings if an earlier attempt left the functions paused.
 */
export async function pauseFunctions(
  client: LambdaClient,
  functions: string[],
  settings: Reserved,
): Promise<() => Promise<void>> {
  const before = new Map<string, number | undefined>()
  for (const FunctionName of functions) {
    const { ReservedConcurrentExecutions: reserved } = await client.send(
      new GetFunctionConcurrencyCommand({ FunctionName }),
    )
    const [, name = ""] = /-(\w+)Function-/.exec(FunctionName) ?? []
    before.set(FunctionName, reserved === 0 ? settings[name.toLowerCase()] : reserved)
  }
  const reserve = (FunctionName: string, reserved: number | undefined) =>
    reserved === undefined
      ? client.send(new DeleteFunctionConcurrencyCommand({ FunctionName }))
      : client.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: reserved }))
  async function resume(): Promise<void> {
    for (const [name, reserved] of before) await reserve(name, reserved)
  }
  try {
    for (const name of functions) await reserve(name, 0)
  } catch (error) {
    await resume()
    throw error
  }
  return resume
}

/**
 * Stops the agents' containers, which takes them up to half a minute. They hand over their work, which continues in other
 * containers. Returns the ARNs of the stopped tasks.
 */
export async function stopRunners(
  client: ECSClient,
  { cluster }: Pick<DeployedStage, "cluster">,
  reason: string,
): Promise<string[]> {
  if (cluster === undefined) return []
  const tasks: string[] = []
  for await (const { taskArns = [] } of paginateListTasks({ client }, { cluster })) tasks.push(...taskArns)
  for (const task of tasks) await client.send(new StopTaskCommand({ cluster, task, reason }))
  return tasks
}
