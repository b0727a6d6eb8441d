import { useMemo } from "react"
import { anything } from "../../../api/decode.ts"
import { writeArchive } from "../../../session/actions/write-archive.ts"
import { useShownSession } from "../../../session/view/use-session.ts"
import { createDrafts } from "../buffer/drafts.ts"
import { draftsChanged } from "../buffer/use-unsaved.ts"

/** Actions on files. Each resolves once the server is done; the stream reports the result. */
export interface FileActions {
  createFile(path: string): Promise<void>
  createFolder(path: string): Promise<void>
  rename(fromPath: string, path: string): Promise<void>
  /** Deleting a folder also deletes its contents. */
  remove(path: string): Promise<void>
  /** Writes all files from a zip, or none, replacing existing ones. */
  upload(zip: Uint8Array): Promise<void>
}

export function useFileActions(): FileActions {
  const { sessionId, api } = useShownSession()
  return useMemo(() => {
    const drafts = createDrafts(sessionStorage, sessionId, draftsChanged)
    const workspace = { workspace_id: sessionId }
    return {
      createFile: async (path) => {
        const body = { ...workspace, path, content: "", if_sha256: null }
        await api.call("PUT /workspace/file", { body, response: anything })
      },
      createFolder: async (path) => {
        await api.call("POST /workspace/folder", { body: { ...workspace, path }, response: anything })
      },
      rename: async (fromPath, path) => {
        const body = { ...workspace, from_path: fromPath, to_path: path }
        await api.call("POST /workspace/rename", { body, response: anything })
        drafts.move(fromPath, path)
      },
      remove: async (path) => {
        const query = { ...workspace, path, recursive: true }
        await api.call("DELETE /workspace/file", { query, response: anything })
      },
      upload: (zip) => writeArchive(api, sessionId, zip),
    }
  }, [api, sessionId])
}
