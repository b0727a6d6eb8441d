import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda"

/** Has Lambda run a function some time soon, without waiting for it. */
export type Invoke = (name: string, payload: object, options: { signal: AbortSignal }) => Promise<void>

export function createInvoke(): Invoke {
  const client = new LambdaClient({})
  return async (name, payload, { signal }) => {
    const command = new InvokeCommand({
      FunctionName: name,
      InvocationType: "Event",
      Payload: Buffer.from(JSON.stringify(payload)),
    })
    await client.send(command, { abortSignal: signal })
  }
}
