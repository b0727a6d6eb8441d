import type { DynamoDBClient } from "@aws-sdk/client-dynamodb"

type Stack = DynamoDBClient["middlewareStack"]

/** Clock difference above which AWS rejects signatures, and the SDK starts to correct its offset. */
const MOST_SKEW_MS = 4 * 60_000

/**
 * A client for any AWS service. The middleware stack has no specific type, because its message types depend on the
 * service.
 */
interface AwsClient {
  middlewareStack: object
  config: { systemClockOffset: number }
}

/**
 * Keeps a client from retrying ordinary errors while the local clock is wrong. The SDK measures the clock's offset with
 * each response, and marks an error as retriable if the offset has changed. However, the offset changes by milliseconds
 * with every response. With a wrong clock, each failed condition would therefore be retried up to three times, and use
 * up the retries that are meant for throttling. Only a request that was signed with a wrong time can fail because of
 * the clock.
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

/** Returns the current time according to AWS, as far as the client knows it. */
export function awsTime({ config }: AwsClient): Date {
  return new Date(Date.now() + config.systemClockOffset)
}

function isCorrected(error: unknown): error is { $metadata: { clockSkewCorrected: boolean | undefined } } {
  return (error as { $metadata?: { clockSkewCorrected?: boolean } } | undefined)?.$metadata?.clockSkewCorrected === true
}
