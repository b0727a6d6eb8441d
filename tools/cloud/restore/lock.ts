import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb"
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb"

interface LockDeps {
  client: DynamoDBDocumentClient
  /** The stage's live table, even if a copy of an earlier time is being restored. */
  table: string
  holder: string
  now: () => number
}

const KEY = { pk: "restore", sk: "lock" }
const LIFE_MS = 5 * 60_000
const RENEWED_EVERY_MS = 60_000

/** True if an item is the lock, which restores must not copy or remove. */
export function isLock({ pk }: Record<string, unknown>): boolean {
  return pk === KEY.pk
}

/**
 * Does the work unless another restore of the stage is running. If a restore is killed, others are blocked for five
 * minutes.
 */
export async function underLock<T>({ client, table, holder, now }: LockDeps, work: () => Promise<T>): Promise<T> {
  const names = { ExpressionAttributeNames: { "#until": "until", "#holder": "holder" } }
  async function take(): Promise<void> {
    const command = new PutCommand({
      ...{ TableName: table, Item: { ...KEY, holder, until: now() + LIFE_MS }, ...names },
      ConditionExpression: "attribute_not_exists(pk) OR #until < :now OR #holder = :holder",
      ExpressionAttributeValues: { ":now": now(), ":holder": holder },
    })
    await client.send(command).catch((error) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error
      throw new Error("Another restore of this stage is running. If it was interrupted, try again in five minutes.")
    })
  }
  await take()
  // If one renewal fails, there are more before the lock expires.
  const timer = setInterval(() => take().catch(() => {}), RENEWED_EVERY_MS)
  timer.unref()
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await client.send(
      new DeleteCommand({
        ...{ TableName: table, Key: KEY, ConditionExpression: "#holder = :holder" },
        ...{ ExpressionAttributeNames: { "#holder": "holder" }, ExpressionAttributeValues: { ":holder": holder } },
      }),
    )
  }
}
