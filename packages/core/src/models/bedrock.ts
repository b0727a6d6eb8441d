import { parseJson } from "../text/parse-json.ts"
import type { AwsAccess } from "./aws-access.ts"
import { refusalOf } from "./bedrock-errors.ts"
import { sendToBedrock } from "./bedrock-http.ts"
import { answerToolOf, converseBody } from "./bedrock-request.ts"
import { hasImages, type ModelProvider, type ModelRequest } from "./provider.ts"
import { type Connection, modelCall, type ProviderOptions } from "./sdk-options.ts"

type BedrockOptions = Omit<ProviderOptions, "baseUrl"> & { aws: AwsAccess; baseUrl?: string | undefined }

/** Creates a provider for the Converse API of Amazon Bedrock. Signs requests with `aws`, and needs no key. */
export function createBedrockProvider(options: BedrockOptions): ModelProvider {
  return {
    name: "bedrock",
    stream(request, calling) {
      const { model } = request
      const call = {
        ...options,
        baseUrl: options.baseUrl ?? "",
        provider: "bedrock",
        model,
        hasImages: hasImages(request),
      }
      return modelCall(call, calling, async function* (connection) {
        const { converseEvents } = await import("./bedrock-events.ts")
        yield* converseEvents(await openFrames(options, request, connection), {
          model,
          answerTool: answerToolOf(request),
        })
      })
    },
  }
}

async function openFrames({ aws, baseUrl, now }: BedrockOptions, request: ModelRequest, connection: Connection) {
  const path = `/model/${encodeURIComponent(request.model)}/converse-stream`
  const call = { endpoint: "bedrock-runtime", method: "POST", path, body: converseBody(request) } as const
  const response = await sendToBedrock(call, { aws, baseUrl, now, ...connection })
  if (!response.ok) {
    const { error } = (parseJson(await response.text()) ?? {}) as { error?: unknown }
    throw refusalOf(response, error)
  }
  const { readFrames } = await import("./bedrock-frames.ts")
  return readFrames(response.body ?? [])
}
