import { isDeepStrictEqual } from "node:util"
import {
  DeleteTableCommand,
  DescribeTableCommand,
  RestoreTableToPointInTimeCommand,
  TableAlreadyExistsException,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb"
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb"
import { mapConcurrent } from "@switchyard/core/concurrency/map-concurrent"
import { isLock } from "./lock.ts"

/** AWS takes minutes for most tables, and hours for a very large one. */
const RESTORED_WITHIN_S = 6 * 3600
const AT_ONCE = 16

interface Copy {
  from: string
  to: string
  at: Date
}

/**
 * Requests a copy of a table as of the given time, without changing the table. Uses the copy from an earlier attempt if
 * there is one. Throws if AWS refuses.
 */
export async function requestTable(client: DynamoDBDocumentClient, { from, to, at }: Copy): Promise<void> {
  const command = new RestoreTableToPointInTimeCommand({
    SourceTableName: from,
    TargetTableName: to,
    RestoreDateTime: at,
    BillingModeOverride: "PAY_PER_REQUEST",
  })
  try {
    await client.send(command)
  } catch (error) {
    if (!(error instanceof TableAlreadyExistsException)) throw error
    const { Table } = await client.send(new DescribeTableCommand({ TableName: to }))
    if (Table?.TableStatus !== "DELETING") return
    throw new Error(`${to} was used by an earlier restore and is being deleted. Try again in a few minutes.`)
  }
}

export async function awaitTable(client: DynamoDBDocumentClient, table: string): Promise<void> {
  await waitUntilTableExists({ client, maxWaitTime: RESTORED_WITHIN_S, maxDelay: 20 }, { TableName: table })
}

export async function removeTable(client: DynamoDBDocumentClient, table: string): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: table }))
}

/**
 * Makes the records in `to` equal to those in `from`. Can be repeated after an interruption. Nothing else may write to
 * the tables meanwhile.
 */
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
      for await (const one of mapConcurrent(
        Items.filter((item) => !isLock(item)),
        change,
        { atOnce: AT_ONCE },
      ))
        changed += one
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
