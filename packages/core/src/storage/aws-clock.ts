import type { DynamoDBClient } from "@aws-sdk/client-dynamodb"

type Stack = DynamoDBClient["middlewareStack"]

/** AWS refuses what is signed for a time that differs from its own by more; the SDK counts from here. */
const MOST_SKEW_MS = 4 * 60_000

/** A client of any service of AWS: their stacks are alike, but for the types of what passes them. */
interface AwsClient {
  middlewareStack: object
  config: { systemClockOffset: number }
}

/**
 * Keeps a client from repeating ordinary refusals where the clock is wrong. The SDK measures by each answer how far AWS's clock is
 * from ours, and marks each error after which that has changed as one to be asked again. But it changes by milliseconds with any
 * answer, so while the clock is wrong, each refused condition would be asked about up to four times, and use up the budget of
 * retries that throttling needs. Only an error of a request that was signed for a wrong time is the clock's.
 */
export function repeatingOnlyWrongTimes<C extends AwsClient>(client: C): C {
  const { config } = client
  const stack = client.middlewareStack as Stack
  const repeatOnlyWrongTimes: Parameters<Stack["add"]>[0] = (next) => async (args) => {
    const signedWith = config.systemClockOffset
    try {
      return await next(args)
    } catch (error) {
      const isSignedRight = Math.abs(config.systemClockOffset - signedWith) < MOST_SKEW_MS
      if (isSignedRight && isCorrected(error)) error.$metadata.clockSkewCorrected = undefined
      throw error
    }
  }
  const name = "repeatOnlyWrongTimes"
  stack.addRelativeTo(repeatOnlyWrongTimes, { relation: "after", toMiddleware: "retryMiddleware", name })
  return client
}

/** AWS's time, as far as the client has heard of it. */
export function awsTime({ config }: AwsClient): Date {
  return new Date(Date.now() + config.systemClockOffset)
}

function isCorrected(error: unknown): error is { $metadata: { clockSkewCorrected: boolean | undefined } } {
  return (error as { $metadata?: { clockSkewCorrected?: boolean } } | undefined)?.$metadata?.clockSkewCorrected === true
}
