import * as z from "zod"

/** Timeout. A server on this machine or network answers at once. */
const WITHIN_MS = 2000

const Tokens = z.int().positive()
const OllamaLoaded = z.object({ models: z.array(z.object({ name: z.string(), context_length: Tokens })) })
const OllamaModel = z.object({ parameters: z.string() })
const LmStudioModels = z.object({ data: z.array(z.object({ id: z.string(), loaded_context_length: Tokens })) })
const LlamaCppProps = z.object({ default_generation_settings: z.object({ n_ctx: Tokens }) })

interface Asked {
  /** Root URL of the server's OpenAI-compatible API. */
  baseUrl: string
  model: string
}

/**
 * Asks a model server for the context of a model in tokens. Works with Ollama (the loaded model's context, or its
 * `num_ctx`), LM Studio and llama.cpp. Sends no key. Returns undefined if the server doesn't state a context, for
 * example because the model isn't loaded yet.
 */
export async function readContextTokens(
  { baseUrl, model }: Asked,
  { fetch: send = fetch, signal }: { fetch?: typeof fetch; signal: AbortSignal },
): Promise<number | undefined> {
  const root = baseUrl.replace(/\/v1\/?$/, "")
  async function read<T>(path: string, schema: z.ZodType<T>, body?: object): Promise<T | undefined> {
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)])
      const post = body && { method: "POST", body: JSON.stringify(body) }
      const response = await send(`${root}${path}`, { ...post, redirect: "error", signal: within })
      return response.ok ? schema.safeParse(await response.json()).data : undefined
    } catch {
      // Other servers may send anything, or not respond at all.
      signal.throwIfAborted()
      return undefined
    }
  }
  const [loaded, ollama, lmStudio, llamaCpp] = await Promise.all([
    read("/api/ps", OllamaLoaded),
    read("/api/show", OllamaModel, { model }),
    read("/api/v0/models", LmStudioModels),
    read("/props", LlamaCppProps),
  ])
  const [, numCtx] = /^num_ctx\s+(\d{1,9})$/m.exec(ollama?.parameters ?? "") ?? []
  return (
    loaded?.models.find(({ name }) => name === model || name === `${model}:latest`)?.context_length ??
    (numCtx === undefined ? undefined : Number(numCtx)) ??
    lmStudio?.data.find(({ id }) => id === model)?.loaded_context_length ??
    llamaCpp?.default_generation_settings.n_ctx
  )
}
