import { readContextTokens } from "@switchyard/core/models/local-context"
import { formatCount } from "@switchyard/core/text/format"
import * as z from "zod"

interface ModelServer {
  name: string
  /** Base URL of the server's OpenAI-compatible API. */
  baseUrl: string
}

/**
 * Default addresses of model servers that people run on their own machine. Sources: docs.ollama.com/openai,
 * lmstudio.ai/docs/developer/openai-compat, and the README of llama.cpp's `tools/server`.
 */
const USUAL: readonly ModelServer[] = [
  { name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { name: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1" },
  { name: "llama.cpp", baseUrl: "http://127.0.0.1:8080/v1" },
]

/**
 * Time limit for a response. A model server on this machine responds immediately. If there is none, the search must not
 * slow down the start noticeably.
 */
const WITHIN_MS = 300
const MAX_CHARS = 1_000_000

const Listing = z.object({
  object: z.literal("list"),
  data: z.array(z.object({ id: z.string().regex(/^[\x21-\x7e]{1,180}$/) })).min(1),
})

export interface FoundServer extends ModelServer {
  models: string[]
  /** Context size of the first model in tokens, if the server reports it. */
  contextTokens: number | undefined
}

/**
 * Finds a model server on this machine. If several servers have models, returns the first. Sends one request for the
 * list of models to each address, without a key, and doesn't follow redirects. Requests the context size only from the
 * server that it found. Ignores programs that respond in any other way.
 */
export async function findModelServer(servers: readonly ModelServer[] = USUAL): Promise<FoundServer | undefined> {
  const found = await Promise.all(servers.map((server) => modelsOf(server).catch(() => [])))
  const at = found.findIndex((models) => models.length > 0)
  const server = servers[at]
  if (!server) return undefined
  const models = found[at] ?? []
  const asked = { baseUrl: server.baseUrl, model: models[0] ?? "" }
  const contextTokens = await readContextTokens(asked, { signal: AbortSignal.timeout(WITHIN_MS) }).catch(
    () => undefined,
  )
  return { ...server, models, contextTokens }
}

async function modelsOf({ baseUrl }: ModelServer): Promise<string[]> {
  const response = await fetch(`${baseUrl}/models`, { redirect: "error", signal: AbortSignal.timeout(WITHIN_MS) })
  if (!response.ok || Number(response.headers.get("content-length")) > MAX_CHARS) return []
  return Listing.parse(await response.json()).data.map(({ id }) => id)
}

/** Describes a server's models to the user, and explains how to ignore the server. */
export function describeFound({ name, models, contextTokens }: FoundServer): string {
  const context =
    contextTokens === undefined
      ? ""
      : ` Its context is ${formatCount(contextTokens, "token")}, and prompts are kept below that.`
  const more = models.length > 1 ? ` and ${models.length - 1} more` : ""
  return `${name} runs on this machine, so you can choose local/${models[0]}${more}.${context} LOCAL_MODELS=off ignores it.`
}
