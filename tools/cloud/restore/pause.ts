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
 * Stops new invocations of a stage's functions, all or none. Running ones continue. Returns a function that restores
 * their earlier concurrency or, after an earlier attempt that left them paused, the stage's settings.
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

/** Stops the containers of agents. They hand over their work, and continue in others. */
export async function stopRunners(client: ECSClient, { cluster }: DeployedStage): Promise<void> {
  if (cluster === undefined) return
  for await (const { taskArns = [] } of paginateListTasks({ client }, { cluster })) {
    for (const task of taskArns) await client.send(new StopTaskCommand({ cluster, task, reason: "A restore" }))
  }
}
