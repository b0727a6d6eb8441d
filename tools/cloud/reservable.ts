import { GetFunctionConcurrencyCommand, type LambdaClient } from "@aws-sdk/client-lambda"
import type { ConcurrencyQuota } from "@switchyard/functions/aws/quota"
import { findStage } from "./find-stage.ts"

/** Returns the part of the account's concurrency that functions outside this stage haven't reserved. */
export async function concurrencyFor(
  client: LambdaClient,
  stage: string,
  { total, unreserved }: ConcurrencyQuota,
): Promise<number> {
  // Most accounts have no reservations.
  if (unreserved === total) return total
  const { functions = [] } = (await findStage(client, stage)) ?? {}
  const own = functions.map((FunctionName) => client.send(new GetFunctionConcurrencyCommand({ FunctionName })))
  const counts = (await Promise.all(own)).map(({ ReservedConcurrentExecutions: count = 0 }) => count)
  return counts.reduce((sum, count) => sum + count, unreserved)
}
