import { createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { inject } from "vitest"
import { recordsContract } from "../contracts/records.ts"
import { connectDynamo } from "../emulators/dynamo.ts"

declare module "vitest" {
  interface ProvidedContext {
    dynamoEndpoint: string
  }
}

recordsContract("Amazon's DynamoDB Local", async () => {
  const { client, createTable, close } = connectDynamo(inject("dynamoEndpoint"))
  return { records: createDynamoRecords({ client, table: await createTable() }), close: async () => close() }
})
