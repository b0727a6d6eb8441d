import { mapConcurrent } from "../../concurrency/map-concurrent.ts"
import { AppError } from "../../errors.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { openWorkspace } from "../../files/workspaces/files.ts"
import type { ManifestFile } from "../../files/workspaces/manifest.ts"
import { resultOf } from "../../files/workspaces/project-files.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import type { HostPolicy } from "../../network/host-policy.ts"
import type { GitHosts } from "../../people/git-hosts/git-hosts.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import { formatBytes } from "../../text/format.ts"
import { withoutSlashes } from "../../text/trim.ts"
import { suggestAppName } from "../apps/app-name.ts"
import { openFor } from "../git-host-grants.ts"
import { isSecretName } from "../secret-names.ts"
import { sessionName } from "../session-name.ts"
import { requireOwnFiles } from "../versions/restore-version.ts"
import type { Forge, NewPullRequest } from "./forge.ts"
import type { ForgeFiles, PushedFile } from "./forge-files.ts"
import { openForge, openForgeFiles } from "./open-forge.ts"
import type { PushedSession, SessionPushRequest } from "./push-schema.ts"

export interface PushDeps extends SessionLogDeps {
  blobs: Blobs
  gitHosts: Pick<GitHosts, "open">
  hosts: HostPolicy
}

const MAX_FILES = 2000
const MAX_BYTES = 20_000_000
const MAX_LEFT_OUT = 50
const READS_AT_ONCE = 16

/**
 * Pushes a session's files as one commit, either to a new repository, or to a new branch of an existing repository,
 * with a pull request. Never changes an existing branch. Throws `repository_error` with the host's reason. If only the
 * pull request fails, keeps the commit and returns the reason.
 */
export async function pushSession(
  deps: PushDeps,
  { owner, session, request }: { owner: string; session: SessionHandle; request: SessionPushRequest },
  { signal }: { signal: AbortSignal },
): Promise<PushedSession> {
  // The session stores only the files that it changed in its repository.
  requireOwnFiles(session.state, "Open a pull request for its branch instead.")
  const url = plainUrl(request.url)
  const host = await openFor(deps.gitHosts, owner, url, { signal })
  if (!host) {
    const message =
      "You have no token for this repository's host. Add one in Settings, Git hosts, or with `switchyard git-hosts`."
    throw new AppError("repository_error", message)
  }
  const about = { url, hosts: deps.hosts, signal }
  const forge = openForgeFiles(host, about)
  const { files, leftOut, version } = await readFiles(deps, session, { signal })
  forge.check?.(files)
  const title = request.message ?? sessionName(session.state)
  const place = await findBranch(forge, session, request)
  const commit = await forge.push({ ...place, message: title, files })
  const { branch, base, created } = place
  const body = `The files of a session, version ${version}.`
  const opened = created
    ? NO_PULL_REQUEST
    : await openPullRequest(openForge(host, about), { head: branch, base, title, body, draft: false })
  const { pull_request, pull_request_error } = opened
  const pushed = { url, created, branch, commit, version, file_count: files.length, pull_request }
  const log = await openSessionLog(deps, session.sid, { signal })
  const rule = inLiveSession(() => [{ type: "session_pushed" as const, ...pushed }])
  await log.decide(rule, { signal })
  return { ...pushed, pull_request_error, left_out: leftOut.slice(0, MAX_LEFT_OUT) }
}

type OpenedPullRequest = Pick<PushedSession, "pull_request" | "pull_request_error">

const NO_PULL_REQUEST: OpenedPullRequest = { pull_request: null, pull_request_error: null }

/** Opens a pull request for a branch that has been pushed. If the host refuses, returns the host's reason. */
async function openPullRequest(forge: Forge, request: NewPullRequest): Promise<OpenedPullRequest> {
  try {
    // This status means that the branch already has a pull request, or that the host refused for another reason.
    const found = (await forge.create(request)) ?? (await forge.find(request.head))
    if (found) return { ...NO_PULL_REQUEST, pull_request: { number: found.number, url: found.url } }
    const reason = "The repository's host refused it. Open it on the host, from the pushed branch."
    return { pull_request: null, pull_request_error: reason }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { pull_request: null, pull_request_error: error.message }
  }
}

/** Returns the repository's URL without `.git`. Throws if the URL contains credentials, because it is stored. */
function plainUrl(given: string): string {
  const { username, password, search, hash, origin, pathname } = new URL(given)
  if (username || password || search || hash)
    throw new AppError("validation_error", "Give the repository's URL without credentials, `?` or `#`.")
  return origin + withoutSlashes(pathname).replace(/\.git$/, "")
}

/** Returns the branch to push to. Creates the repository if it doesn't exist. */
async function findBranch(
  forge: ForgeFiles,
  { state }: SessionHandle,
  request: SessionPushRequest,
): Promise<{ branch: string; base: string; created: boolean }> {
  const found = await forge.find()
  if (!found) {
    const { defaultBranch } = await forge.create({ isPrivate: request.private })
    return { branch: defaultBranch, base: defaultBranch, created: true }
  }
  const base = found.defaultBranch
  if (base === null)
    throw new AppError(
      "repository_error",
      "The repository has no commits yet. Add one, such as a README, and try again.",
    )
  const branch = request.branch ?? `${suggestAppName(sessionName(state))}-v${state.workspace.version}`
  if (!(await forge.hasBranch(branch))) return { branch, base, created: false }
  throw new AppError("repository_error", `The branch "${branch}" already exists. Choose another one.`, { branch })
}

/** Reads the files to push. Throws `invalid_request` if there are none or too many. */
async function readFiles(deps: PushDeps, session: SessionHandle, options: { signal: AbortSignal }) {
  const workspace = await openWorkspace(deps, session, options)
  const all = resultOf(workspace.manifest, session.state).files
  const chosen = all.filter(({ path }) => !isKept(path))
  const sizeBytes = chosen.reduce((sum, { size }) => sum + size, 0)
  if (chosen.length === 0) throw new AppError("invalid_request", "The session has no files to push.")
  if (chosen.length > MAX_FILES || sizeBytes > MAX_BYTES) {
    const message = `The session has ${chosen.length.toLocaleString("en")} files and ${formatBytes(sizeBytes)}. At most ${MAX_FILES.toLocaleString("en")} files and ${formatBytes(MAX_BYTES)} can be pushed.`
    throw new AppError("invalid_request", message)
  }
  const store = createWorkspaceStore(deps.blobs, { sid: session.sid, incarnation: session.state.session.incarnation })
  const read = async ({ path, sha256, mode, binary }: ManifestFile): Promise<PushedFile> => {
    const content = await readAll(await store.read(sha256, options))
    return { path, content, isExecutable: (mode & 0o100) !== 0, isBinary: binary }
  }
  const files = await Array.fromAsync(mapConcurrent(chosen, read, { atOnce: READS_AT_ONCE }))
  return { files, leftOut: all.map(({ path }) => path).filter(isKept), version: workspace.at.version }
}

/**
 * True for files that must not be pushed: those that may contain secrets, and installed packages, which don't belong in
 * a repository.
 */
function isKept(path: string): boolean {
  return path.split("/").some((name) => name === "node_modules" || isSecretName(name))
}
