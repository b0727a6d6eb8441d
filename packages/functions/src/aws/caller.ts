import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts"
import { smallCalls } from "@switchyard/core/storage/aws-timeouts"

const ANSWERED_WITHIN_MS = 5000

/** Returns the number of the AWS account that the credentials belong to. Throws AWS's error if AWS rejects them. */
export async function callerAccount(region: string, { signal }: { signal: AbortSignal }): Promise<string> {
  const client = new STSClient({ region, maxAttempts: 2, requestHandler: smallCalls(ANSWERED_WITHIN_MS) })
  try {
    const { Account } = await client.send(new GetCallerIdentityCommand({}), { abortSignal: signal })
    if (!Account) throw new Error("AWS didn't return an account for these credentials.")
    return Account
  } finally {
    client.destroy()
  }
}
