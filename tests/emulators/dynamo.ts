import { fork } from "node:child_process"
import { once } from "node:events"
import { setImmediate } from "node:timers/promises"
import { CreateTableCommand, DescribeTableCommand, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb"
import { createDynamoClient, dynamoTable } from "@switchyard/core/storage/dynamo"

/** A DynamoDB emulator in its own process, on loopback. */
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

/** A client of an emulator that runs already. */
export function connectDynamo(endpoint: string) {
  const config: DynamoDBClientConfig = {
    endpoint,
    region: "eu-central-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    // The product's limits are too short for an emulator on a machine that has no time.
    requestHandler: {},
  }
  const client = createDynamoClient(config)
  let tables = 0

  return {
    config,
    client,
    /** Makes an empty table of ours and resolves to its name, once it can be used. */
    async createTable(name = `records-${++tables}`): Promise<string> {
      await client.send(new CreateTableCommand(dynamoTable(name)))
      // The emulator has it a moment later.
      for (;;) {
        const { Table } = await client.send(new DescribeTableCommand({ TableName: name }))
        if (Table?.TableStatus === "ACTIVE") return name
        await setImmediate()
      }
    },
    close: () => client.destroy(),
  }
}
