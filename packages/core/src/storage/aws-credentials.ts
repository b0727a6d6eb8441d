import type { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import type { S3Client } from "@aws-sdk/client-s3"

const EXPIRED = new Set(["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"])

/**
 * Has a client fetch its credentials again, and ask once more, when AWS says that they have expired: the SDK keeps them
 * until their own date, which a clock that was set or a role that was revoked makes wrong.
 */
export function renewingCredentials<C extends DynamoDBClient | S3Client>(client: C): C {
  // The stacks of all clients are alike, but for the types of what passes them.
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
