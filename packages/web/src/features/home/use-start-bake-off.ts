import type { NewBakeOff } from "@switchyard/core/work/bake-offs/schema"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import type * as z from "zod"
import type { Api } from "../../api/client.ts"
import { anything, object, text } from "../../api/decode.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useSessionsChanged } from "../../session/list/use-sessions.ts"

export interface BakeOffRequest {
  /** The session; null for a new one. */
  sessionId: string | null
  /** Of a new session; null for its own files. */
  repository: string | null
  body: z.input<typeof NewBakeOff>
}

/** Starts a bake-off. Resolves to the session's id. */
export function useStartBakeOff() {
  const { api } = useStudio()
  const client = useQueryClient()
  const changed = useSessionsChanged()
  return useMutation({
    mutationFn: (request: BakeOffRequest) =>
      request.sessionId === null ? startInNewSession(api, request) : start(api, request.sessionId, request),
    onSuccess: (id) => {
      changed()
      return client.invalidateQueries({ queryKey: ["bake-offs", id] })
    },
  })
}

async function start(api: Api, id: string, { body }: BakeOffRequest): Promise<string> {
  const request = { path: { id }, body, idempotencyKey: crypto.randomUUID(), response: anything }
  await api.call("POST /api/v1/sessions/{id}/bake-offs", request)
  return id
}

/** A session that was created for a refused bake-off is deleted again. */
async function startInNewSession(api: Api, request: BakeOffRequest): Promise<string> {
  const { repository } = request
  const { id } = await api.call("POST /api/v1/sessions", { body: { repository }, response: object({ id: text }) })
  try {
    return await start(api, id, request)
  } catch (error) {
    await api.call("DELETE /api/v1/sessions/{id}", { path: { id }, response: anything }).catch(() => undefined)
    throw error
  }
}
