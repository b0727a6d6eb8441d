import { GetAccountSettingsCommand } from "@aws-sdk/client-lambda"
import { createLambdaClient } from "./invoke.ts"

/** How many functions of this account may run at once. Throws what AWS says if it doesn't accept the credentials. */
export async function concurrencyQuota(region: string, { signal }: { signal: AbortSignal }): Promise<number> {
  const client = createLambdaClient({ region, maxAttempts: 2 })
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}), { abortSignal: signal })
  return AccountLimit?.UnreservedConcurrentExecutions ?? 0
}
