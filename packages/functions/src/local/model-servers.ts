import * as z from "zod"

interface ModelServer {
  name: string
  /** Root of the server's OpenAI-compatible API. */
  baseUrl: string
}

/**
 * Servers for models on one's own machine, at the addresses that they use by default. Sources: docs.ollama.com/openai,
 * lmstudio.ai/docs/developer/openai-compat, and the README of llama.cpp's `tools/server`.
 */
const USUAL: readonly ModelServer[] = [
  { name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { name: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1" },
  { name: "llama.cpp", baseUrl: "http://127.0.0.1:8080/v1" },
]

/** A server on this machine answers at once. Without one, the start must not become noticeably slower. */
const WITHIN_MS = 300
const MAX_CHARS = 1_000_000

const Listing = z.object({
  object: z.literal("list"),
  data: z.array(z.object({ id: z.string().regex(/^[\x21-\x7e]{1,180}$/) })).min(1),
})

export interface FoundServer extends ModelServer {
  models: string[]
}

/**
 * Looks for a model server on this machine and returns the first that lists models. Sends only one request for the
 * list to each address, without a key, and follows no redirects. Programs that answer anything else are ignored.
 */
export async function findModelServer(servers: readonly ModelServer[] = USUAL): Promise<FoundServer | undefined> {
  const found = await Promise.all(servers.map((server) => modelsOf(server).catch(() => [])))
  const at = found.findIndex((models) => models.length > 0)
  const server = servers[at]
  return server && { ...server, models: found[at] ?? [] }
}

async function modelsOf({ baseUrl }: ModelServer): Promise<string[]> {
  const response = await fetch(`${baseUrl}/models`, { redirect: "error", signal: AbortSignal.timeout(WITHIN_MS) })
  if (!response.ok || Number(response.headers.get("content-length")) > MAX_CHARS) return []
  return Listing.parse(await response.json()).data.map(({ id }) => id)
}

/** Tells people which models were found, and how to ignore them. */
export function describeFound({ name, models }: FoundServer): string {
  const more = models.length > 1 ? ` and ${models.length - 1} more` : ""
  return `${name} runs on this machine, so you can choose local/${models[0]}${more}. LOCAL_MODELS=off ignores it.`
}
