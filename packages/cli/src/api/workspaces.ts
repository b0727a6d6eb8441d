import type { TreeNode } from "@switchyard/core/files/workspaces/schema"
import type { CheckCommands } from "@switchyard/core/work/gate/schema"
import * as z from "zod"
import type { Requests, Waiting } from "./requests.ts"
import { Link, Preparing, Run, SetCommands, Tree } from "./responses.ts"

/** Requests for the files of workspaces, and their checks. */
export interface WorkspaceRequests {
  tree(workspaceId: string, options: Waiting): Promise<TreeNode[]>
  /** Throws `session_not_found` for an unknown workspace. A request for its files would create it. */
  checkWorkspace(workspaceId: string, options: Waiting): Promise<void>
  /** Returns a temporary URL of the workspace's zip that needs no credentials. Waits until the zip is built. */
  downloadUrl(workspaceId: string, options: Waiting): Promise<URL>
  /** Starts a check of a workspace's files. */
  checkFiles(workspaceId: string, options: Waiting & { consent: boolean }): Promise<Run>
  /** Sets commands for the checks of a workspace. An empty command is detected again. Omitted commands stay. */
  setCheckCommands(workspaceId: string, commands: CheckCommands, options: Waiting): Promise<void>
}

export function createWorkspaceRequests({ ask, follow, clock, connection }: Requests): WorkspaceRequests {
  return {
    tree: async (workspaceId, { signal }) =>
      (await ask("GET /workspace/tree", Tree, { query: { workspace_id: workspaceId }, signal })).nodes,

    async checkWorkspace(workspaceId, { signal }) {
      await ask("GET /api/v1/sessions/{id}", z.unknown(), { path: { id: workspaceId }, signal })
    },

    async downloadUrl(workspaceId, { signal }) {
      const LinkOrNot = z.union([Link, Preparing])
      const query = { workspace_id: workspaceId, link: true }
      let link = await ask("GET /workspace/download", LinkOrNot, { query, signal })
      while ("status_url" in link) {
        await clock.sleep(link.retry_after_seconds * 1000, { signal })
        link = await follow(LinkOrNot, { path: link.status_url, signal })
      }
      return connection.resolve(link.url)
    },

    checkFiles: (id, { consent, signal }) =>
      ask("POST /api/v1/sessions/{id}/checks", Run, { path: { id }, body: { consent }, signal }),

    async setCheckCommands(id, commands, { signal }) {
      const path = { id }
      const { set } = await ask("GET /api/v1/sessions/{id}/checks/commands", SetCommands, { path, signal })
      const named = Object.entries({ ...set, ...commands }).filter(([, command]) => command !== "")
      const body = Object.fromEntries(named)
      await ask("PUT /api/v1/sessions/{id}/checks/commands", SetCommands, { path, body, signal })
    },
  }
}
