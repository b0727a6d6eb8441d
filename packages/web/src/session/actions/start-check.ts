import { type Api, ApiError } from "../../api/client.ts"
import { anything } from "../../api/decode.ts"

/** Starts a check of a session's files, whose events tell the rest. Resolves to the refusal, if it is refused. */
export async function startCheck(
  api: Api,
  id: string,
  consent: boolean,
): Promise<{ code: string; message: string } | undefined> {
  try {
    await api.call("POST /api/v1/sessions/{id}/checks", { path: { id }, body: { consent }, response: anything })
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
