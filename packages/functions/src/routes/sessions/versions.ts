import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import {
  Restored,
  RestoreRequest,
  VersionComparison,
  VersionList,
  VersionNumber,
} from "@switchyard/core/sessions/versions/schema"
import type { Context } from "hono"
import type { AppDeps } from "../../deps.ts"
import { principal } from "../../http/request.ts"
import { answers, createRoutes, endpointsOf } from "../../http/routing.ts"
import { SessionId } from "../../http/schemas.ts"

const endpoint = endpointsOf("sessions")
const VERSIONS_PATH = "/api/v1/sessions/{id}/versions"
const FilePath = z.string().min(1).optional()
const EarlierVersion = SessionId.extend({ version: VersionNumber.min(1) })
const Forked = z.object({ id: z.string().describe("ID of the new session"), name: z.string() }).openapi("ForkedVersion")

export const routes = {
  list: endpoint.get(VERSIONS_PATH, {
    summary: "List the versions of a session's files",
    description:
      "Newest first. Successive commits of one run count as one version, but each of their numbers can be compared, restored and forked.",
    request: {
      params: SessionId,
      query: z.object({
        path: FilePath.describe("Only versions that changed this file, also under its earlier names"),
        before: z.coerce.number().int().min(1).optional().describe("`next` of the previous page"),
        limit: z.coerce.number().int().min(1).max(100).default(30),
      }),
    },
    responses: answers(VersionList, "One page"),
  }),
  compare: endpoint.get(`${VERSIONS_PATH}/{version}/diff`, {
    summary: "Compare a version with another one",
    request: {
      params: SessionId.extend({ version: VersionNumber }),
      query: z.object({
        to: VersionNumber.optional().describe("The other version; defaults to the newest"),
        path: FilePath.describe("Only this file, of any size"),
      }),
    },
    responses: answers(VersionComparison, "Changed files with their lines"),
  }),
  restore: endpoint.post(`${VERSIONS_PATH}/{version}/restore`, {
    summary: "Restore all files, or one file, to a version",
    description:
      "The result is a new version, so a restore can be undone by restoring `previous`. Nothing is committed if the files already have this content. Refused with `run_active` while a run may change the files.",
    request: {
      params: EarlierVersion,
      body: { content: { "application/json": { schema: RestoreRequest } }, required: false },
    },
    responses: answers(Restored, "The newest version"),
  }),
  fork: endpoint.post(`${VERSIONS_PATH}/{version}/fork`, {
    summary: "Open a new session with the files of a version",
    description:
      "The new session has its own copies of the files, so deleting this session doesn't affect it. Repeating the request with the same `Idempotency-Key` returns the same session.",
    request: {
      params: EarlierVersion,
      headers: z.object({ "idempotency-key": z.string().min(1).max(255).optional() }),
    },
    responses: answers(Forked, "The new session", 201),
  }),
}

/** Serves the versions of a session's files. */
export function versionRoutes(deps: AppDeps): OpenAPIHono {
  const options = { signal: deps.stopping }
  const find = (c: Context, id: string): Promise<SessionHandle> => deps.sessions.find(principal(c).owner, id, options)
  // Load this module on demand, so that the API starts faster.
  const loadReads = () => import("@switchyard/core/sessions/versions/read-versions")

  return createRoutes()
    .openapi(routes.list, async (c) => {
      const { path, ...page } = c.req.valid("query")
      const session = await find(c, c.req.valid("param").id)
      const { listVersions } = await loadReads()
      const file = path === undefined ? undefined : workspacePath(path)
      return c.json(await listVersions(deps, session, { ...page, path: file, ...options }), 200)
    })
    .openapi(routes.compare, async (c) => {
      const { id, version } = c.req.valid("param")
      const { to, path } = c.req.valid("query")
      const session = await find(c, id)
      const { requireVersion } = await loadReads()
      const { compareVersions } = await import("@switchyard/core/sessions/versions/compare-versions")
      const sides = {
        from: await requireVersion(deps, session, version, options),
        to: await requireVersion(deps, session, to ?? session.state.workspace.version, options),
      }
      return c.json(await compareVersions(deps, session, sides, { path, ...options }), 200)
    })
    .openapi(routes.restore, async (c) => {
      const { id, version } = c.req.valid("param")
      const { path, if_version: ifVersion } = c.req.valid("json")
      const { sessionId } = await find(c, id)
      const { session } = await deps.sessions.touch(principal(c).owner, sessionId, { active: true, ...options })
      const { restoreVersion } = await import("@switchyard/core/sessions/versions/restore-version")
      const wanted = { version, path: path === undefined ? undefined : workspacePath(path), ifVersion }
      return c.json(await restoreVersion(deps, session, { ...wanted, ...options }), 200)
    })
    .openapi(routes.fork, async (c) => {
      const { id, version } = c.req.valid("param")
      const key = c.req.valid("header")["idempotency-key"]
      const { owner } = principal(c)
      const source = await find(c, id)
      const { forkVersion } = await import("@switchyard/core/sessions/versions/fork-version")
      return c.json(await forkVersion(deps, source, { owner, version, key, ...options }), 201)
    })
}
