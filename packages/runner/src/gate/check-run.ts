import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { readProject } from "@switchyard/core/work/gate/read-project"
import type { CheckInput } from "@switchyard/core/work/gate/schema"
import type { RunWork } from "@switchyard/core/work/runs/run-context"
import { checkFiles } from "./check-files.ts"
import { prepareWorkdir, prepareWorkdirOnce, type ToolsOf, type Workdir, type WorkdirDeps } from "./workdir.ts"

/**
 * Returns the function that carries out a check run. The check installs, builds, tests and starts a clean copy of the
 * files. It runs as a separate user, in a sandbox if there is one. It stops at the first command that fails, and ends
 * with the verdict.
 */
export function createCheckRun(given: WorkdirDeps & { toolsOf?: ToolsOf }): RunWork<CheckInput> {
  return async (context) => {
    const { sid, runId, signal, input } = context
    const { workspace_version, commands, node_id, tests_of } = input
    const state = context.state()
    const tools = await context.awaitExternal(async () => given.toolsOf?.({ sid, state }, { signal }))
    const deps = { ...given, tools }
    const at = { version: workspace_version, manifest: input.manifest }
    const workspace = await openWorkspace(deps, { sid, state }, { at, signal })
    const project = await readProject(workspace, { signal })
    const { incarnation } = state.session
    const fillBy = node_id === undefined ? prepareWorkdir : prepareWorkdirOnce
    const fill = (workdir: Workdir) => fillBy(deps, workdir, { sid, incarnation }, workspace.manifest, { signal })
    const files = { project, commands, fill }
    if (node_id === undefined) {
      const about = {
        ...files,
        purpose: "checks" as const,
        checked: { workspace_version, ...(tests_of && { tests_of }) },
      }
      return context.conclude(await checkFiles(deps, context, about))
    }
    // Use a separate home for each check, because several nodes of a team may be checked at the same time.
    const checked = { node_id, manifest: input.manifest ?? "" }
    context.conclude(await checkFiles(deps, context, { ...files, purpose: "nodes", once: runId, checked }))
  }
}
