import { type Api, ApiError } from "../../api/client.ts"
import { anything } from "../../api/decode.ts"

/**
 * Starts the session's own server, of the files at an event or else of the newest; its events tell the rest. Resolves to the
 * refusal, if it is refused.
 */
export async function startServerPreview(
  api: Api,
  id: string,
  { seq, consent }: { seq: number | null; consent: boolean },
): Promise<{ code: string; message: string } | undefined> {
  const body = { consent, ...(seq !== null && { seq }) }
  try {
    await api.call("POST /api/v1/sessions/{id}/preview/server", { path: { id }, body, response: anything })
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

export async function stopServerPreview(api: Api, id: string): Promise<void> {
  await api.call("DELETE /api/v1/sessions/{id}/preview/server", { path: { id }, response: anything })
}
