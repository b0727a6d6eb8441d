import { type ECSClient, paginateListTasks, StopTaskCommand } from "@aws-sdk/client-ecs"
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  type LambdaClient,
  PutFunctionConcurrencyCommand,
} from "@aws-sdk/client-lambda"
import type { Reserved } from "../reserved.ts"
import type { DeployedStage } from "./find-stage.ts"

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
    before.set(FunctionName, reserved === 0 ? settings[name.toLowerCase() as keyof Reserved] : reserved)
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

/** Stops the agents' containers. They hand over their work, which continues in other containers. */
export async function stopRunners(client: ECSClient, { cluster }: DeployedStage): Promise<void> {
  if (cluster === undefined) return
  for await (const { taskArns = [] } of paginateListTasks({ client }, { cluster })) {
    for (const task of taskArns) await client.send(new StopTaskCommand({ cluster, task, reason: "A restore" }))
  }
}
