import type { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import type { S3Client } from "@aws-sdk/client-s3"

const EXPIRED = new Set(["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"])

/**
 * Makes a client refresh its credentials and retry once if AWS reports that they have expired. The SDK itself would use
 * the credentials until their nominal expiry. That time is wrong if the clock has changed or the role was revoked.
 */
export function renewingCredentials<C extends DynamoDBClient | S3Client>(client: C): C {
  // This cast is safe, because the middleware stacks of the clients differ only in their message types.
  const stack = client.middlewareStack as DynamoDBClient["middlewareStack"]
  stack.add(
    (next) => async (args) => {
      try {
        return await next(args)
      } catch (error) {
        if (!(error instanceof Error && EXPIRED.has(error.name))) throw error
        await client.config.credentials({ forceRefresh: true })
        return next(args)
      }
    },
    { step: "initialize", name: "renewExpiredCredentials" },
  )
  return client
}
