import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { unzipChanges } from "@switchyard/core/files/archives/unzip"
import { sha256Of } from "@switchyard/core/files/workspaces/blob-store"
import { commitChanges } from "@switchyard/core/files/workspaces/commit"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import type { Change } from "@switchyard/core/files/workspaces/manifest"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { TreeNode } from "@switchyard/core/files/workspaces/schema"
import { editableBytes } from "@switchyard/core/files/workspaces/text"
import { sessionKey } from "@switchyard/core/ids"
import type { TouchedSession } from "@switchyard/core/sessions/sessions"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal, workspaceOf } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf, jsonBody } from "../../http/routing.ts"
import { flag, Touched, WorkspaceHeaders, WorkspaceQuery, workspaceInBody } from "../../http/schemas.ts"

const endpoint = endpointsOf("workspace")
const PathQuery = WorkspaceQuery.extend({ path: z.string().min(1) })
const headers = WorkspaceHeaders
const Changed = Touched.extend({ path: z.string() }).openapi("Changed")
const FileText = Changed.extend({ content: z.string() }).openapi("FileText")
const Written = FileText.extend({
  sha256: z.string().describe("Hash of the content; use it as the next `if_sha256`"),
}).openapi("Written")
const Unpacked = Touched.extend({ files: z.int() }).openapi("Unpacked")
const Tree = Touched.extend({ root: z.string(), nodes: z.array(TreeNode) }).openapi("Tree")
const AllFiles = Touched.extend({
  files: z.record(z.string(), z.string()),
  skipped_binary: z.array(z.string()),
  skipped_large: z.array(z.string()),
}).openapi("AllFiles")

const IfSha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable()
  .optional()
  .describe(
    "Writes the file only if it has this hash or, with null, doesn't exist yet. Otherwise returns 409 with `current_sha256` and changes nothing",
  )

/** Name that the reference contract gives to every project's root folder. */
const ROOT_NAME = "generated_project"

function removal<P extends string>(path: P, summary: string) {
  const request = { query: PathQuery.extend({ recursive: flag }), headers }
  return endpoint.delete(path, { summary, request, responses: answers(Changed, "The deleted file or folder") })
}

export const routes = {
  tree: endpoint.get("/workspace/tree", {
    summary: "List the files and folders of a workspace",
    request: { query: WorkspaceQuery, headers },
    responses: answers(Tree, "Folders first, then by name"),
  }),
  files: endpoint.get("/workspace/files", {
    summary: "Get the text of every file",
    request: { query: WorkspaceQuery, headers },
    responses: answers(AllFiles, "Texts by path. Files that are binary or too large are only listed"),
  }),
  read: endpoint.get("/workspace/file", {
    summary: "Get the text of a file",
    request: { query: PathQuery, headers },
    responses: answers(FileText, "The file"),
  }),
  write: endpoint.put("/workspace/file", {
    summary: "Write a file",
    request: {
      query: WorkspaceQuery,
      headers,
      body: jsonBody(
        z
          .object({ path: z.string().min(1), content: z.string(), if_sha256: IfSha256, ...workspaceInBody })
          .openapi("NewFile"),
      ),
    },
    responses: answers(Written, "The written file"),
  }),
  unpack: endpoint.put("/workspace/archive", {
    summary: "Write all files from a zip into the workspace, or none",
    request: {
      query: WorkspaceQuery,
      headers,
      body: jsonBody(
        z
          .object({ zip: z.base64().min(1).describe("At most 3 MB, and at most 64 MB unpacked"), ...workspaceInBody })
          .openapi("NewArchive"),
      ),
    },
    responses: answers(Unpacked, "The number of files"),
  }),
  remove: removal("/workspace/path", "Delete a file or a folder"),
  removeFile: removal("/workspace/file", "Delete a file or a folder; the same as `DELETE /workspace/path`"),
  folder: endpoint.post("/workspace/folder", {
    summary: "Create a folder",
    request: {
      query: WorkspaceQuery,
      headers,
      body: jsonBody(z.object({ path: z.string().min(1), ...workspaceInBody }).openapi("NewFolder")),
    },
    responses: answers(Changed, "The folder"),
  }),
  rename: endpoint.post("/workspace/rename", {
    summary: "Rename or move a file or a folder",
    request: {
      query: WorkspaceQuery,
      headers,
      body: jsonBody(
        z
          .object({
            from_path: z.string().min(1),
            to_path: z.string().min(1),
            overwrite: z.boolean().default(false),
            ...workspaceInBody,
          })
          .openapi("Rename"),
      ),
    },
    responses: answers(Changed, "The new path"),
  }),
}

/** Serves a workspace's files to the editor. */
export function workspaceRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }

  async function view(c: Context) {
    const { session, body } = named(await deps.sessions.view(principal(c).owner, workspaceOf(c), options))
    return { body, workspace: await openWorkspace(deps, session, options) }
  }

  async function use(c: Context, idInBody?: string | null) {
    const id = workspaceOf(c, idInBody)
    return named(await deps.sessions.touch(principal(c).owner, id, { active: true, ...options }))
  }

  async function change(c: Context, idInBody: string | null | undefined, change: Change) {
    const { session, body } = await use(c, idInBody)
    await commitChanges(deps, session, [change], options)
    return { path: change.path, ...body }
  }

  async function requireBytes(c: Context, idInBody: string | null | undefined, bytes: number) {
    const { owner } = principal(c)
    await deps.limits.requireBytes(owner, sessionKey(owner, workspaceOf(c, idInBody)), bytes, options)
  }

  function remove(c: Context, { path, recursive }: { path: string; recursive: boolean }) {
    return change(c, undefined, { op: "delete", path: workspacePath(path), recursive })
  }

  return createRoutes()
    .openapi(routes.tree, async (c) => {
      const { body, workspace } = await view(c)
      return c.json({ root: ROOT_NAME, ...body, nodes: workspace.tree() }, 200)
    })
    .openapi(routes.files, async (c) => {
      const { body, workspace } = await view(c)
      const { files, skippedBinary, skippedLarge } = await workspace.readAllTexts(options)
      const texts = Object.fromEntries(files.map(({ path, text }) => [path, text]))
      return c.json({ ...body, files: texts, skipped_binary: skippedBinary, skipped_large: skippedLarge }, 200)
    })
    .openapi(routes.read, async (c) => {
      const path = workspacePath(c.req.valid("query").path)
      const { body, workspace } = await view(c)
      return c.json({ ...body, path, content: await workspace.readText(path, options) }, 200)
    })
    .openapi(routes.write, async (c) => {
      const { path, content, workspace_id, if_sha256: ifSha256 } = c.req.valid("json")
      const bytes = editableBytes(content, path)
      await requireBytes(c, workspace_id, bytes.length)
      const written = await change(c, workspace_id, { op: "write", path: workspacePath(path), bytes, ifSha256 })
      return c.json({ ...written, content, sha256: sha256Of(bytes) }, 200)
    })
    .openapi(routes.unpack, async (c) => {
      const { zip, workspace_id } = c.req.valid("json")
      const changes = await unzipChanges(Buffer.from(zip, "base64"))
      await requireBytes(c, workspace_id, sizeOf(changes))
      const { session, body } = await use(c, workspace_id)
      await commitChanges(deps, session, changes, options)
      return c.json({ ...body, files: changes.filter(({ op }) => op === "write").length }, 200)
    })
    .openapi(routes.remove, async (c) => c.json(await remove(c, c.req.valid("query")), 200))
    .openapi(routes.removeFile, async (c) => c.json(await remove(c, c.req.valid("query")), 200))
    .openapi(routes.folder, async (c) => {
      const { path, workspace_id } = c.req.valid("json")
      return c.json(await change(c, workspace_id, { op: "make_folder", path: workspacePath(path) }), 200)
    })
    .openapi(routes.rename, async (c) => {
      const { from_path, to_path, overwrite, workspace_id } = c.req.valid("json")
      const paths = { fromPath: workspacePath(from_path), path: workspacePath(to_path) }
      return c.json(await change(c, workspace_id, { op: "rename", ...paths, overwrite }), 200)
    })
}

function sizeOf(changes: Change[]): number {
  return changes.reduce((sum, change) => sum + ("bytes" in change ? change.bytes.length : 0), 0)
}

function named({ session, sessionId, expiresAt }: TouchedSession) {
  return { session, body: { workspace_id: sessionId, expires_at: new Date(expiresAt).toISOString() } }
}
