import { type Api, ApiError } from "../../api/client.ts"

/** Starts a check of a session's files, whose events tell the rest. Resolves to the refusal, if it is refused. */
export async function startCheck(
  api: Api,
  id: string,
  consent: boolean,
): Promise<{ code: string; message: string } | undefined> {
  const response = async () => (await import("@switchyard/core/work/runs/schema")).Run
  try {
    await api.call("POST /api/v1/sessions/{id}/checks", { path: { id }, body: { consent }, response })
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
