import { fork } from "node:child_process"
import { once } from "node:events"
import { setImmediate } from "node:timers/promises"
import { CreateTableCommand, DescribeTableCommand, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb"
import { createDynamoClient, dynamoTable } from "@switchyard/core/storage/dynamo"

/** Starts a DynamoDB emulator in its own process, on loopback. */
export async function startDynamo() {
  const child = fork(new URL("dynamo-process.ts", import.meta.url))
  const [port] = (await once(child, "message")) as [number]
  const { close, ...dynamo } = connectDynamo(`http://127.0.0.1:${port}`)
  return {
    ...dynamo,
    async stop(): Promise<void> {
      close()
      child.kill()
      await once(child, "exit")
    },
  }
}

/** Connects to an emulator that is already running. */
export function connectDynamo(endpoint: string) {
  const config: DynamoDBClientConfig = {
    endpoint,
    region: "eu-central-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    // The product's timeouts are too short for an emulator on a busy machine.
    requestHandler: {},
  }
  const client = createDynamoClient(config)
  let tables = 0

  return {
    config,
    client,
    /** Creates an empty table with the product's schema. Resolves to its name once it is active. */
    async createTable(name = `records-${++tables}`): Promise<string> {
      await client.send(new CreateTableCommand(dynamoTable(name)))
      // The emulator creates the table asynchronously.
      for (;;) {
        const { Table } = await client.send(new DescribeTableCommand({ TableName: name }))
        if (Table?.TableStatus === "ACTIVE") return name
        await setImmediate()
      }
    },
    close: () => client.destroy(),
  }
}
