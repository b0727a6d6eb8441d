import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts"
import { smallCalls } from "@switchyard/core/storage/aws-timeouts"

const ANSWERED_WITHIN_MS = 5000

/** The number of the account that the credentials are of. Throws AWS's error if it doesn't accept them. */
export async function callerAccount(region: string, { signal }: { signal: AbortSignal }): Promise<string> {
  const client = new STSClient({ region, maxAttempts: 2, requestHandler: smallCalls(ANSWERED_WITHIN_MS) })
  try {
    const { Account } = await client.send(new GetCallerIdentityCommand({}), { abortSignal: signal })
    if (!Account) throw new Error("AWS doesn't say of which account the credentials are.")
    return Account
  } finally {
    client.destroy()
  }
}
