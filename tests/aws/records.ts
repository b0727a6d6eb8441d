import { createDynamoRecords } from "@switchyard/core/storage/dynamo"
import { recordsContract } from "../contracts/records.ts"
import { connectDynamo } from "../emulators/dynamo.ts"
import { connectAws } from "./connect.ts"

const aws = connectAws("eu-central-1")

recordsContract(`DynamoDB on ${aws.name}`, async () => {
  const { client, createTable, close } = connectDynamo(aws.endpoint)
  return { records: createDynamoRecords({ client, table: await createTable() }), close: async () => close() }
})
