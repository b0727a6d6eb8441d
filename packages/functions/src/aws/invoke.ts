import { InvokeCommand, LambdaClient, type LambdaClientConfig } from "@aws-sdk/client-lambda"
import { repeatingOnlyWrongTimes } from "@switchyard/core/storage/aws-clock"
import { smallCalls } from "@switchyard/core/storage/aws-timeouts"

/** Queues an asynchronous invocation of a Lambda function. */
export type Invoke = (name: string, payload: object, options: { signal: AbortSignal }) => Promise<void>

/** Time limit of a call. The call only queues an event. */
const ANSWERED_WITHIN_MS = 5000

export function createLambdaClient(config: LambdaClientConfig = {}): LambdaClient {
  return repeatingOnlyWrongTimes(new LambdaClient({ requestHandler: smallCalls(ANSWERED_WITHIN_MS), ...config }))
}

export function createInvoke(client: LambdaClient = createLambdaClient()): Invoke {
  return async (name, payload, { signal }) => {
    const command = new InvokeCommand({
      FunctionName: name,
      InvocationType: "Event",
      Payload: Buffer.from(JSON.stringify(payload)),
    })
    await client.send(command, { abortSignal: signal })
  }
}
