import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { resultOf } from "../../files/workspaces/project-files.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { parseJson } from "../../text/parse-json.ts"
import type { ProjectFiles } from "../../work/gate/check.ts"
import { findChecks } from "../../work/gate/find-checks.ts"
import { needsBuild } from "../../work/gate/needs-build.ts"
import { readProject } from "../../work/gate/read-project.ts"
import { type AppFiles, appSizeProblem, BUILD_FOLDERS, findAppFiles } from "./app-files.ts"

/** Files to publish, and the reason if they can't be published. Either may be missing. */
export interface AppPlan {
  version: number
  app?: AppFiles
  reason?: string
}

/** Decides which files of a session's newest version would be published. */
export async function planApp(
  deps: { blobs: Blobs },
  session: SessionHandle,
  options: { signal: AbortSignal },
): Promise<AppPlan> {
  const workspace = await openWorkspace(deps, session, options)
  const { version } = workspace.at
  // The session stores only the files that it changed in its repository.
  if (session.state.session.repository !== null) return { version, reason: IN_REPOSITORY }
  if (version === 0) return { version, reason: "The session has no files yet." }
  const built = await findBuilt(deps, session, options)
  if (built) {
    const reason = appSizeProblem(built)
    return { version, app: built, ...(reason !== undefined && { reason }) }
  }
  const app = findAppFiles(resultOf(workspace.manifest, session.state))
  const project = await readProject(workspace, options)
  const reason = app ? await appProblem(workspace, project, app, options) : missingPage(project)
  return { version, ...(app && { app }), ...(reason !== undefined && { reason }) }
}

const IN_REPOSITORY =
  "This session's files are in a repository, and only its changes are stored here. Open a pull request, and publish the page from the repository."

/** Returns the page that a check built from the newest version. Undefined if there is none. */
async function findBuilt(
  { blobs }: { blobs: Blobs },
  { sid, state }: SessionHandle,
  options: { signal: AbortSignal },
): Promise<AppFiles | undefined> {
  const output = state.preview.outputs.find(({ version }) => version === state.workspace.version)
  if (!output) return undefined
  const { incarnation } = state.session
  const { files } = await createWorkspaceStore(blobs, { sid, incarnation }).readManifest(output.manifest, options)
  const placed = files.map((file) => ({ ...file, path: `${output.folder}/${file.path}` as typeof file.path }))
  return findAppFiles({ files: placed, folders: [] })
}

function missingPage(project: ProjectFiles): string {
  const server = serverOf(project)
  return server ?? "The files don't include an index.html, so there is no page to publish."
}

async function appProblem(
  workspace: Workspace,
  project: ProjectFiles,
  app: AppFiles,
  options: { signal: AbortSignal },
): Promise<string | undefined> {
  const isBuilt = BUILD_FOLDERS.includes(app.folder.split("/").at(-2) ?? "")
  // A build's output is a separate site. The project's package.json doesn't apply to it.
  const site = isBuilt ? siteAt(workspace, app.folder) : workspace
  const page = (isBuilt ? "index.html" : `${app.folder}index.html`) as WorkspacePath
  if (await needsBuild(site, page, options))
    return `Browsers can't run ${app.folder}index.html before the project is built. Check the project first: a check builds it, and its output in dist/, build/ or out/ can then be published.`
  const server = isBuilt ? undefined : serverOf(project)
  return server ?? appSizeProblem(app)
}

/** Returns a view of one folder, with paths relative to it. */
function siteAt({ stat, readText }: Workspace, folder: string): Pick<Workspace, "stat" | "readText"> {
  const within = (path: WorkspacePath) => `${folder}${path}` as WorkspacePath
  return { stat: (path) => stat(within(path)), readText: (path, options) => readText(within(path), options) }
}

/** Packages of servers that answer requests from their own pages. */
const SERVERS: ReadonlySet<string> = new Set([
  ...["express", "fastify", "koa", "hono", "@hapi/hapi", "restify", "polka", "h3", "next", "nuxt", "@nestjs/core"],
  ...["socket.io", "ws", "apollo-server", "@apollo/server", "@sveltejs/adapter-node", "@remix-run/node"],
])

/** Explains why a project needs a server. Undefined if the project doesn't seem to need one. */
function serverOf(project: ProjectFiles): string | undefined {
  const manifest = parseJson(project.text("package.json") ?? "") as { dependencies?: unknown } | undefined
  const used = Object.keys(Object(manifest?.dependencies)).find((name) => SERVERS.has(name))
  const isOther = ["go.mod", "Cargo.toml", "pom.xml", "manage.py", "Gemfile"].find((path) => project.has(path))
  const start = findChecks(project).find(({ name, page }) => name === "start" && page === undefined)?.command
  const from = used === undefined ? isOther : `the package ${used}`
  const evidence = from === undefined ? undefined : `it uses ${from}`
  if (evidence === undefined && (start === undefined || hasPage(project))) return undefined
  return `This project needs a server: ${evidence ?? `it starts with "${start}"`}. Only pages that work without one can be published.`
}

function hasPage(project: ProjectFiles): boolean {
  return [...project.paths()].some((path) => /(^|\/)index\.html$/.test(path))
}
