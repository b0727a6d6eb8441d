import type { ModelProvider } from "@switchyard/core/models/provider"
import { Session } from "@switchyard/core/sessions/schema"
import { ended } from "../../ended.ts"
import { type InProcess, serveHere } from "../../faults/in-process.ts"
import { createDirector, type Director } from "./director.ts"
import { STUDIO_FOLDER } from "./studio.ts"
import { startWire, type Wire } from "./wire.ts"

export interface Place extends AsyncDisposable {
  /** Address of the studio, which the browser reaches through the wire. */
  url: string
  wire: Wire
  director: Director
  server: InProcess
  /** Creates an empty session, or a session after one run of the model if `built` is set. Resolves to its id. */
  session(options?: { built?: boolean; prompt?: string }): Promise<string>
  run(sessionId: string, prompt?: string): Promise<{ run_id: string }>
  ended(runId: string): Promise<void>
  /** Resolves when the session's last run has ended. */
  over(sessionId: string): Promise<void>
  /** Sends a request to the API, not through the wire. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent
  ask(method: string, path: string, body?: unknown): Promise<any>
}

/**
 * Starts the real server on an empty folder, with a model that the test controls and a wire that it can cut. `env` adds
 * variables to the server's environment. If they include an admin's token, `ask` uses it.
 */
export async function openPlace({
  env = {},
  model,
}: {
  env?: Record<string, string>
  /** Model to use instead of the director's. */
  model?: ModelProvider
} = {}): Promise<Place> {
  const director = createDirector()
  const server = await serveHere({ scripted: model ?? director.provider, studioFolder: STUDIO_FOLDER, env })
  const wire = await startWire(server.server.url, { canaries: server.canaries })

  async function ask(method: string, path: string, body?: unknown) {
    server.canaries.note(body)
    const headers = new Headers()
    if (body !== undefined) headers.set("content-type", "application/json")
    if (env.ADMIN_TOKEN) headers.set("authorization", `Bearer ${env.ADMIN_TOKEN}`)
    const answer = await fetch(server.server.url + path, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.status === 204 ? undefined : answer.json()
  }
  const run = (sessionId: string, prompt = "A list that remembers what I typed.") =>
    ask("POST", "/v1/runs", { user_prompt: prompt, workspace_id: sessionId })
  const endOf = async (runId: string) => void (await ended((path) => ask("GET", path), runId))

  return {
    url: wire.url,
    wire,
    director,
    server,
    ask,
    run,
    ended: endOf,
    over: async (sessionId) => endOf((await ask("GET", `/api/v1/sessions/${sessionId}`)).last_run.run_id),
    session: async ({ built = false, prompt } = {}) => {
      const { id } = Session.parse(await ask("POST", "/api/v1/sessions", {}))
      if (built) await endOf((await run(id, prompt)).run_id)
      return id
    },
    async [Symbol.asyncDispose]() {
      await wire[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
