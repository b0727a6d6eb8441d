import { type CreateTableCommandInput, DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb"
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb"
import * as z from "zod"
import { repeatingOnlyWrongTimes } from "./aws-clock.ts"
import { renewingCredentials } from "./aws-credentials.ts"
import { mapAwsErrors } from "./aws-errors.ts"
import { smallCalls } from "./aws-timeouts.ts"
import { checkRange, checkRecordKey, compareUtf8, encodeRecord } from "./limits.ts"
import type { Json, PutOptions, RangeOptions, RecordBody, RecordKey, Records, StoredRecord } from "./records.ts"

/** Name of the attribute that must be configured as DynamoDB's time to live. */
export const DYNAMO_TTL_ATTRIBUTE = "ttl"

/** Returns the definition of the table and its index, as input for `CreateTable`. */
export function dynamoTable(name: string) {
  return {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: ["pk", "sk", "list", "order"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: BY_LIST,
        KeySchema: [
          { AttributeName: "list", KeyType: "HASH" },
          { AttributeName: "order", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  } satisfies CreateTableCommandInput
}

/**
 * Timeout for a response. DynamoDB usually responds within milliseconds, or within a second if the response is a page
 * of 1 MB.
 */
const ANSWERED_WITHIN_MS = 4000

export function createDynamoClient(config: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ requestHandler: smallCalls(ANSWERED_WITHIN_MS), ...config })
  return DynamoDBDocumentClient.from(repeatingOnlyWrongTimes(renewingCredentials(client)), {
    marshallOptions: { removeUndefinedValues: true },
  })
}

/**
 * Creates the interface to records in the table defined by `dynamoTable`. If the reply to a put is lost, the SDK
 * retries the put. DynamoDB may then report a failed condition even though the first attempt succeeded. `Records.put`
 * explains what this means for callers.
 */
export function createDynamoRecords({ client, table }: { client: DynamoDBDocumentClient; table: string }): Records {
  const put = createPut(client, table)

  async function get(key: RecordKey, { signal }: { signal?: AbortSignal } = {}) {
    checkRecordKey(key)
    const command = new GetCommand({ TableName: table, Key: itemKey(key), ConsistentRead: true })
    const { Item } = await mapAwsErrors(client.send(command, { abortSignal: signal }))
    return Item && toRecord(Item)
  }

  return {
    get,

    async put(key, body, options = {}) {
      const item = toItem(key, body, options)
      if (options.ifAbsent) return put(item, undefined, options)
      if (options.ifVersion !== undefined) return put(item, options.ifVersion, options)
      // Only conditional puts count versions, so repeat them until one succeeds. Each lost race means that another
      // writer has made progress.
      for (;;) {
        const existing = await get(key, options)
        const version = await put(item, existing?.version, options)
        if (version !== undefined) return version
      }
    },

    async remove(key, { ifVersion, signal } = {}) {
      checkRecordKey(key)
      const command = new DeleteCommand({ TableName: table, Key: itemKey(key), ...ifStill(ifVersion) })
      return mapAwsErrors(conditionHolds(client.send(command, { abortSignal: signal })))
    },

    async *range(partition, options = {}) {
      checkRange(partition, options)
      yield* query(client, { TableName: table, ConsistentRead: true }, ["pk", "sk"], partition, options)
    },

    async *byList(list, options = {}) {
      checkRange(list, options)
      yield* query(client, { TableName: table, IndexName: BY_LIST }, ["list", "order"], list, options)
    },
  }
}

const BY_LIST = "by_list"

/** The value is stored as a JSON string, because JSON allows numbers and nesting levels that DynamoDB doesn't allow. */
const Item = z.object({
  pk: z.string(),
  sk: z.string(),
  version: z.number(),
  value: z.string(),
  bytes: z.instanceof(Uint8Array).optional(),
})

function createPut(client: DynamoDBDocumentClient, table: string) {
  return async (item: object, version: number | undefined, { signal }: PutOptions): Promise<number | undefined> => {
    const condition = version === undefined ? IF_ABSENT : ifStill(version)
    const next = (version ?? 0) + 1
    const command = new PutCommand({ TableName: table, Item: { ...item, version: next }, ...condition })
    return (await mapAwsErrors(conditionHolds(client.send(command, { abortSignal: signal })))) ? next : undefined
  }
}

const IF_ABSENT = { ConditionExpression: "attribute_not_exists(pk)" }

function ifStill(version: number | undefined) {
  if (version === undefined) return {}
  return {
    ConditionExpression: "#version = :version",
    ExpressionAttributeNames: { "#version": "version" },
    ExpressionAttributeValues: { ":version": version },
  }
}

async function conditionHolds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof Error && error.name === "ConditionalCheckFailedException") return false
    throw error
  }
}

async function* query(
  client: DynamoDBDocumentClient,
  source: { TableName: string; IndexName?: string; ConsistentRead?: boolean },
  [hash, order]: [string, string],
  scope: string,
  options: RangeOptions,
): AsyncGenerator<StoredRecord> {
  const { from, to, limit, reverse, signal } = options
  // If `from` is greater than `to`, yield nothing. DynamoDB would throw.
  if (from !== undefined && to !== undefined && compareUtf8(from, to) > 0) return
  let left = limit ?? Number.POSITIVE_INFINITY
  let start: Record<string, unknown> | undefined
  while (left > 0) {
    const command = new QueryCommand({
      ...source,
      ...keyCondition(hash, order, scope, from, to),
      ScanIndexForward: !reverse,
      Limit: limit === undefined ? undefined : left,
      ExclusiveStartKey: start,
    })
    const { Items = [], LastEvaluatedKey } = await mapAwsErrors(client.send(command, { abortSignal: signal }))
    for (const item of Items) yield toRecord(item)
    left -= Items.length
    start = LastEvaluatedKey
    if (!start) return
  }
}

function keyCondition(hash: string, order: string, scope: string, from: string | undefined, to: string | undefined) {
  const conditions = ["#hash = :scope"]
  if (from !== undefined && to !== undefined) conditions.push("#order BETWEEN :from AND :to")
  else if (from !== undefined) conditions.push("#order >= :from")
  else if (to !== undefined) conditions.push("#order <= :to")
  return {
    KeyConditionExpression: conditions.join(" AND "),
    ExpressionAttributeNames: { "#hash": hash, ...(conditions.length > 1 && { "#order": order }) },
    ExpressionAttributeValues: { ":scope": scope, ":from": from, ":to": to },
  }
}

function itemKey(key: RecordKey) {
  return { pk: key.partition, sk: key.sort }
}

function toItem(key: RecordKey, body: RecordBody, options: PutOptions) {
  return {
    ...itemKey(key),
    value: encodeRecord(key, body, options),
    ...(body.bytes && { bytes: body.bytes }),
    ...(options.listed && { list: options.listed.list, order: options.listed.order }),
    ...(options.expiresAt !== undefined && { [DYNAMO_TTL_ATTRIBUTE]: options.expiresAt }),
  }
}

function toRecord(found: Record<string, unknown>): StoredRecord {
  const item = Item.parse(found)
  return {
    key: { partition: item.pk, sort: item.sk },
    version: item.version,
    value: JSON.parse(item.value) as { [key: string]: Json },
    ...(item.bytes && { bytes: item.bytes }),
  }
}
