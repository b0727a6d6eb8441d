import { GetAccountSettingsCommand } from "@aws-sdk/client-lambda"
import { createLambdaClient } from "./invoke.ts"

/**
 * Returns the account's limit on concurrent functions, including reserved concurrency. Throws AWS's error if AWS
 * rejects the credentials.
 */
export async function concurrencyQuota(region: string, { signal }: { signal: AbortSignal }): Promise<number> {
  const client = createLambdaClient({ region, maxAttempts: 2 })
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}), { abortSignal: signal })
  return AccountLimit?.ConcurrentExecutions ?? 0
}
