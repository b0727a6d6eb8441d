import { GetAccountSettingsCommand } from "@aws-sdk/client-lambda"
import { createLambdaClient } from "./invoke.ts"

export interface ConcurrencyQuota {
  /** Account's limit on concurrent functions, including reserved concurrency. */
  total: number
  /** Part of the limit that no function has reserved. */
  unreserved: number
}

/** Returns the account's limit on concurrent functions. Throws AWS's error if AWS rejects the credentials. */
export async function concurrencyQuota(region: string, { signal }: { signal: AbortSignal }): Promise<ConcurrencyQuota> {
  const client = createLambdaClient({ region, maxAttempts: 2 })
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}), { abortSignal: signal })
  const { ConcurrentExecutions: total = 0, UnreservedConcurrentExecutions: unreserved = total } = AccountLimit ?? {}
  return { total, unreserved }
}
