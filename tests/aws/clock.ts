import { afterAll } from "vitest"
import { wrongClockContract } from "../contracts/wrong-clock.ts"
import { connectDynamo } from "../emulators/dynamo.ts"
import { connectS3 } from "../emulators/s3.ts"
import { connectAws } from "./connect.ts"

const { name, endpoint } = connectAws("eu-central-1")
const [dynamo, s3] = [connectDynamo(endpoint), connectS3(endpoint)]
afterAll(() => {
  dynamo.close()
  s3.close()
})

for (const minutes of [20, -20]) {
  wrongClockContract(name, minutes, async () => ({
    ...{ dynamo: endpoint, table: await dynamo.createTable(`clock${minutes}`) },
    ...{ s3: endpoint, bucket: await s3.createBucket(`clock${minutes}`) },
  }))
}
