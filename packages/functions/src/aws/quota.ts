import { GetAccountSettingsCommand } from "@aws-sdk/client-lambda"
import { createLambdaClient } from "./invoke.ts"

/**
 * Returns the account's limit of concurrent functions, including reserved ones. Throws AWS's error if it rejects the
 * credentials.
 */
export async function concurrencyQuota(region: string, { signal }: { signal: AbortSignal }): Promise<number> {
  const client = createLambdaClient({ region, maxAttempts: 2 })
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}), { abortSignal: signal })
  return AccountLimit?.ConcurrentExecutions ?? 0
}
