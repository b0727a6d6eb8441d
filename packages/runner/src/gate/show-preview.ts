import type { NewEvent } from "@switchyard/core/events"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import type { SessionLog, SessionLogDeps } from "@switchyard/core/kernel/session-log"
import type { Check } from "@switchyard/core/work/gate/check"
import { findServer } from "@switchyard/core/work/gate/find-checks"
import { readProject } from "@switchyard/core/work/gate/read-project"
import { PREVIEW_LIMIT_SECONDS, type RepositoryChecks, USUAL_LIMIT_SECONDS } from "@switchyard/core/work/gate/schema"
import type { Commit } from "./commit-files.ts"
import { whyNotGuarded } from "./guarded.ts"
import { missingProgram } from "./missing-program.ts"
import { filesBeside } from "./preview-files.ts"
import {
  failure,
  type PreviewEnd,
  type PreviewServerDeps,
  runPreviewServer,
  type ServedPreview,
  shownOutput,
} from "./preview-server.ts"
import { whyNotFetched } from "./why-not-run.ts"
import { diskOf, findWorkdir, type ProgramEnd, prepareWorkdir, runInWorkdir, type ToolsOf } from "./workdir.ts"

export interface ShowPreviewDeps extends PreviewServerDeps, SessionLogDeps {
  /**
   * Returns the head commit of the session's worktree. If there is no worktree, returns the repository's checked-out
   * commit. Undefined if this machine has neither.
   */
  commitOf: (session: SessionLog, options: { signal: AbortSignal }) => Promise<Commit | undefined>
  toolsOf?: ToolsOf
}

/** Installs, builds and starts the files of a preview. Serves them until the server exits. */
export async function showPreview(
  deps: ShowPreviewDeps,
  session: SessionLog,
  preview: ServedPreview,
  { signal }: { signal: AbortSignal },
): Promise<PreviewEnd> {
  const { sid, state } = session
  const { wanted, tell } = preview
  const workspace = await openWorkspace(deps, { sid, state }, { at: wanted, signal })
  const commands: RepositoryChecks = { ...wanted.commands, ...state.workspace.checkCommands }
  const seconds = commands.limits_seconds ?? {}
  const own = { project: await readProject(workspace, { signal }), manifest: workspace.manifest }
  const commit = await deps.commitOf(session, { signal })
  const beside = commit && (await filesBeside(commit, own, { signal }))
  const found = findServer(beside?.project ?? own.project, commands)
  if (!found) return failure(whyNoStart(state, commit))
  const { before, start } = found
  const unguarded = await whyNotGuarded(deps, before)
  if (unguarded !== undefined) return failure(unguarded)
  const tools = await deps.toolsOf?.({ sid, state }, { signal })
  const workdir = await findWorkdir({ ...deps, tools }, { purpose: "previews", sid }, [...before, start])
  if ("missing" in workdir) return failure(missingProgram(workdir))
  await prepareWorkdir(deps, workdir, { sid, incarnation: state.session.incarnation }, workspace.manifest, { signal })
  await beside?.addTo(workdir, { signal })
  const starting = ({ command }: Check): NewEvent => {
    return { type: "server_preview_starting", workspace_version: wanted.version, command }
  }
  try {
    for (const check of before) {
      await tell(starting(check), { signal })
      const shell = { file: "/bin/sh", args: ["-c", check.command] }
      const limitMs = (seconds[check.name] ?? USUAL_LIMIT_SECONDS) * 1000
      const limits = { network: check.network ?? false, limitMs, signal }
      const end = await runInWorkdir(deps, shell, workdir, limits)
      if (end.exitCode !== 0) return failure(reasonOf(check, end, limitMs), shownOutput(end.output, workdir))
    }
    await tell(starting(start), { signal })
    const startsWithinMs = (seconds.start ?? PREVIEW_LIMIT_SECONDS) * 1000
    return await runPreviewServer(deps, preview, { workdir, command: start.command, startsWithinMs }, { signal })
  } finally {
    await diskOf(workdir).remove(workdir.cwd)
  }
}

function whyNoStart({ session }: SessionLog["state"], commit: Commit | undefined): string {
  if (session.repository === null || commit) return "The project has no start command."
  return "The repository hasn't been cloned yet. The session's first task will clone it."
}

function reasonOf({ network, command }: Check, end: ProgramEnd, limitMs: number): string {
  const failed = end.isTooLate ? `${command} exceeded its time limit of ${limitMs / 1000} s.` : undefined
  return (network ? whyNotFetched(end) : undefined) ?? failed ?? `${command} failed.`
}
