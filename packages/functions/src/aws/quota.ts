import { GetAccountSettingsCommand } from "@aws-sdk/client-lambda"
import { createLambdaClient } from "./invoke.ts"

/** The number of functions of this account that may run at once, with those that are reserved for some. Throws AWS's error if it doesn't accept the credentials. */
export async function concurrencyQuota(region: string, { signal }: { signal: AbortSignal }): Promise<number> {
  const client = createLambdaClient({ region, maxAttempts: 2 })
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}), { abortSignal: signal })
  return AccountLimit?.ConcurrentExecutions ?? 0
}
