import { isDeepStrictEqual } from "node:util"
import { DeleteTableCommand, RestoreTableToPointInTimeCommand, waitUntilTableExists } from "@aws-sdk/client-dynamodb"
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb"
import { mapConcurrent } from "@switchyard/core/map-concurrent"

/** AWS takes minutes for a table of any size, and hours for a very large one. */
const RESTORED_WITHIN_S = 6 * 3600
const AT_ONCE = 16

/** Has AWS make a table as another was at a time. One that an earlier attempt made is used. */
export async function restoreTable(
  client: DynamoDBDocumentClient,
  { from, to, at }: { from: string; to: string; at: Date },
): Promise<void> {
  const command = new RestoreTableToPointInTimeCommand({
    SourceTableName: from,
    TargetTableName: to,
    RestoreDateTime: at,
    BillingModeOverride: "PAY_PER_REQUEST",
  })
  await client.send(command).catch((error) => {
    if (error.name !== "TableAlreadyExistsException") throw error
  })
  await waitUntilTableExists({ client, maxWaitTime: RESTORED_WITHIN_S, maxDelay: 20 }, { TableName: to })
}

export async function removeTable(client: DynamoDBDocumentClient, table: string): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: table }))
}

/** Makes the records of one table those of another. May be repeated after it broke off. Nobody else may write meanwhile. */
export async function copyRecords(
  client: DynamoDBDocumentClient,
  { from, to }: { from: string; to: string },
): Promise<{ written: number; removed: number }> {
  const find = async (TableName: string, Key: Key) =>
    (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item

  async function write(item: Item): Promise<number> {
    if (isDeepStrictEqual(await find(to, keyOf(item)), item)) return 0
    await client.send(new PutCommand({ TableName: to, Item: item }))
    return 1
  }
  async function remove(item: Item): Promise<number> {
    const Key = keyOf(item)
    if (await find(from, Key)) return 0
    await client.send(new DeleteCommand({ TableName: to, Key }))
    return 1
  }
  async function each(table: string, change: (item: Item) => Promise<number>): Promise<number> {
    let changed = 0
    for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
      for await (const one of mapConcurrent(Items, change, { atOnce: AT_ONCE })) changed += one
    }
    return changed
  }
  return { written: await each(from, write), removed: await each(to, remove) }
}

type Item = Record<string, unknown>
type Key = { pk: unknown; sk: unknown }

function keyOf({ pk, sk }: Item): Key {
  return { pk, sk }
}
