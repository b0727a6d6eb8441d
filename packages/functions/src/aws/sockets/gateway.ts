import {
  ApiGatewayManagementApiClient,
  type ApiGatewayManagementApiClientConfig,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi"
import { repeatingOnlyWrongTimes } from "@switchyard/core/storage/aws-clock"
import { smallCalls } from "@switchyard/core/storage/aws-timeouts"

/** Server side of API Gateway's WebSocket connections. */
export type Gateway = ReturnType<typeof createGateway>

const ANSWERED_WITHIN_MS = 5000

/** Creates the client for a stage. `endpoint` is `https://{api}.execute-api.{region}.amazonaws.com/{stage}`. */
export function createGateway(config: ApiGatewayManagementApiClientConfig & { endpoint: string }) {
  const requestHandler = smallCalls(ANSWERED_WITHIN_MS)
  const client = repeatingOnlyWrongTimes(new ApiGatewayManagementApiClient({ requestHandler, ...config }))

  async function isOpen(call: () => Promise<unknown>): Promise<boolean> {
    try {
      await call()
      return true
    } catch (error) {
      if (error instanceof GoneException) return false
      throw error
    }
  }

  return {
    /** Sends a message of at most 128 KB. Returns false if the connection is closed or not open yet. */
    post(connection: string, text: string, { signal: abortSignal }: { signal: AbortSignal }): Promise<boolean> {
      const command = new PostToConnectionCommand({ ConnectionId: connection, Data: Buffer.from(text) })
      return isOpen(() => client.send(command, { abortSignal }))
    },
    async close(connection: string, { signal: abortSignal }: { signal: AbortSignal }): Promise<void> {
      await isOpen(() => client.send(new DeleteConnectionCommand({ ConnectionId: connection }), { abortSignal }))
    },
  }
}
