import { useMemo } from "react"
import { anything } from "../../../api/shape.ts"
import { useStudio } from "../../../session/context/studio.ts"
import { createDrafts } from "../buffer/drafts.ts"

/** What can be done to the files. Each resolves when the server has done it; what came of it is told by the stream. */
export interface FileActions {
  createFile(path: string): Promise<void>
  createFolder(path: string): Promise<void>
  rename(fromPath: string, path: string): Promise<void>
  /** A folder goes with everything in it. */
  remove(path: string): Promise<void>
}

export function useFileActions(sessionId: string): FileActions {
  const { api } = useStudio()
  return useMemo(() => {
    const drafts = createDrafts(sessionStorage, sessionId)
    const workspace = { workspace_id: sessionId }
    return {
      createFile: async (path) => {
        const body = { ...workspace, path, content: "", if_sha256: null }
        await api.call("PUT /workspace/file", { body, answer: anything })
      },
      createFolder: async (path) => {
        await api.call("POST /workspace/folder", { body: { ...workspace, path }, answer: anything })
      },
      rename: async (fromPath, path) => {
        const body = { ...workspace, from_path: fromPath, to_path: path }
        await api.call("POST /workspace/rename", { body, answer: anything })
        drafts.move(fromPath, path)
      },
      remove: async (path) => {
        const query = { ...workspace, path, recursive: true }
        await api.call("DELETE /workspace/file", { query, answer: anything })
      },
    }
  }, [api, sessionId])
}
