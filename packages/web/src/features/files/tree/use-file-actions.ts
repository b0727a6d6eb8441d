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
    const send = async (method: "POST" | "PUT", path: string, body: Record<string, unknown>) => {
      await api.send(method, path, anything, { body: { ...body, workspace_id: sessionId } })
    }
    return {
      createFile: (path) => send("PUT", "/workspace/file", { path, content: "", if_sha256: null }),
      createFolder: (path) => send("POST", "/workspace/folder", { path }),
      rename: async (fromPath, path) => {
        await send("POST", "/workspace/rename", { from_path: fromPath, to_path: path })
        drafts.move(fromPath, path)
      },
      remove: async (path) => {
        const asked = new URLSearchParams({ workspace_id: sessionId, path, recursive: "true" })
        await api.send("DELETE", `/workspace/file?${asked}`, anything)
      },
    }
  }, [api, sessionId])
}
