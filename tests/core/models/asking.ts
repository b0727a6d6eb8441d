import { complete, type ModelProvider, type ModelRequest } from "@switchyard/core/models/provider"
import type { ProviderOptions } from "@switchyard/core/models/sdk-options"
import type { Turn } from "../../fixtures/model-server/script.ts"
import { startModelServer } from "../../fixtures/model-server/server.ts"

/** Sends one request to a scripted server. Returns the answer, and the request as the server received it. */
export async function ask(
  create: (options: ProviderOptions) => ModelProvider,
  path: string,
  turn: Turn,
  request: Partial<ModelRequest> & { model: string },
) {
  const server = await startModelServer([turn])
  try {
    const provider = create({ apiKey: "sk-test", baseUrl: `${server.url}${path}` })
    const whole: ModelRequest = { system: "", messages: [{ role: "user", content: "Hello" }], ...request }
    const answer = await complete(provider, whole, { signal: new AbortController().signal })
    return { answer, sent: server.requests[0]?.body, path: server.requests[0]?.path }
  } finally {
    await server.close()
  }
}
