import { describeUnresolved } from "@switchyard/core/files/worktrees/unresolved"
import { formatCount } from "@switchyard/core/text/format"
import { type Run, Worktree } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { downloadInto } from "../downloads/download.ts"
import type { Line } from "../output/render.ts"
import { filesOf } from "./files.ts"

interface Waiting {
  signal: AbortSignal
}

interface Delivery extends Waiting {
  out: string
  force?: boolean
}

/**
 * Downloads the files of a finished run, even if the run failed. Doesn't create the directory if there are no files.
 */
export async function deliver(cli: Cli, run: Run, { out, force = false, signal }: Delivery): Promise<void> {
  const { workspace_id: workspaceId, status, warning } = run
  await filesSaved(cli, workspaceId, { signal })
  if ((await cli.api.tree(workspaceId, { signal })).length === 0)
    return show(cli, "files", "The run didn't produce any files.")
  const files = await downloadInto(cli, workspaceId, out, { merge: force, signal })
  const text = `${formatCount(files, "file")} in ${out}`
  if (status !== "completed") return show(cli, "files", `${text}; the run failed, so files may be missing`)
  if (warning !== null) return show(cli, "files", `${text}; read the run's warning above before you use them`, "bad")
  show(cli, "files", text, "good")
}

const SAVED_POLL_MS = 1000

/** Waits until all files that an agent has changed are saved in the session. */
async function filesSaved({ api, clock }: Cli, sessionId: string, { signal }: Waiting): Promise<void> {
  while ((await api.session(sessionId, { signal })).saving) await clock.sleep(SAVED_POLL_MS, { signal })
}

/** Lists the files of a run that failed or was cancelled, and the command that downloads them. */
export async function showFiles(cli: Cli, { workspace_id }: Run, { signal }: Waiting): Promise<void> {
  await filesSaved(cli, workspace_id, { signal })
  const paths = filesOf(await cli.api.tree(workspace_id, { signal })).map(({ path }) => path)
  if (paths.length === 0) return
  const others = paths.length > NAMED ? [`and ${paths.length - NAMED} more`] : []
  show(cli, "files", `In the workspace: ${[...paths.slice(0, NAMED), ...others].join(", ")}`)
  show(cli, "files", `To download them: npx switchyard download --workspace ${workspace_id} --out DIR`)
}

const NAMED = 10

/** Shows the branch that contains an agent's work, if the session has a repository. */
export async function showBranch(cli: Cli, { workspace_id }: Run, { signal }: Waiting): Promise<void> {
  const { repository } = await cli.api.session(workspace_id, { signal })
  if (!repository) return
  const asked = { path: { id: workspace_id }, signal }
  const { branch, has_changes, unresolved } = await cli.api.ask("GET /api/v1/sessions/{id}/worktree", Worktree, asked)
  if (!branch) return
  show(cli, "branch", has_changes ? `The work is on ${branch} of ${repository}` : `Nothing changed on ${branch}`)
  if (!unresolved) return
  show(cli, "branch", describeUnresolved(unresolved))
  show(cli, "branch", `Resolve it with another task, or in a shell: npx switchyard shell ${workspace_id}`)
}

function show({ terminal }: Cli, who: string, text: string, tone: Line["tone"] = "plain"): void {
  if (!terminal.json) terminal.line({ who, text, tone })
}
