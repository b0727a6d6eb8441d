import { createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { recordsContract } from "../../contracts/records.ts"
import { startDynamo } from "../../emulators/dynamo.ts"

recordsContract("DynamoDB", async () => {
  const dynamo = await startDynamo()
  const table = await dynamo.createTable()
  return { records: createDynamoRecords({ client: dynamo.client, table }), boundsInUtf16: true, close: dynamo.stop }
})
