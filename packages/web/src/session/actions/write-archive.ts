import type { Api } from "../../api/client.ts"
import { number, object } from "../../api/decode.ts"

/** Maximum size of a zip, so that it fits into one request. */
export const MAX_ZIP_BYTES = 3 * 1024 ** 2

/** Writes all files of a zip into a session, or none. Creates the session if it doesn't exist. */
export async function writeArchive(api: Api, sessionId: string, zip: Uint8Array): Promise<void> {
  const body = { zip: base64(zip), workspace_id: sessionId }
  await api.call("PUT /workspace/archive", { body, response: object({ files: number }) })
}

function base64(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let from = 0; from < bytes.length; from += PIECE) {
    pieces.push(String.fromCharCode(...bytes.subarray(from, from + PIECE)))
  }
  return btoa(pieces.join(""))
}

/** Every JavaScript engine accepts this many arguments. */
const PIECE = 8192
