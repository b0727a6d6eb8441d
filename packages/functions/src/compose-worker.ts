import type { ModelProvider } from "@switchyard/core/models/provider"
import { createModelRegistry } from "@switchyard/core/models/registry"
import { createHostPolicy } from "@switchyard/core/network/host-policy"
import { requestHost } from "@switchyard/core/network/host-request"
import { decideTeamCommand } from "@switchyard/core/sessions/agents/team-permissions"
import { teamPrograms } from "@switchyard/core/sessions/agents/team-programs"
import type { WriteDeps } from "@switchyard/core/sessions/moments/repository-write"
import { createStartInside } from "@switchyard/core/sessions/requests/start-inside"
import type { ChatDeps } from "@switchyard/core/work/chat/turn/turn"
import { createFetchPage } from "@switchyard/core/work/pages/fetch-page"
import { createSearchWeb } from "@switchyard/core/work/pages/search-web"
import type { WorkerWorks } from "@switchyard/core/work/runs/execute"
import type { RunWork } from "@switchyard/core/work/runs/run-context"
import type { TeamDeps } from "@switchyard/core/work/teams/team-context"
import type { WorkflowDeps } from "@switchyard/core/work/workflow/run-workflow"
import type { compose } from "./compose.ts"
import type { Config } from "./config.ts"

type Deps = WorkflowDeps & ChatDeps & TeamDeps & WriteDeps

/** Parts of a worker that a single machine and the cloud implement differently. */
interface OwnParts extends Partial<Pick<Deps, "startCheck" | "checkMachine" | "worktrees" | "launcher">> {
  /** Provider for models named `scripted/…`. */
  scripted: ModelProvider
  /** Provider for models of the installed Claude Code. */
  claudeCode?: ModelProvider | undefined
}

/**
 * Returns the functions that carry out each kind of run on a worker. Each function is loaded when its kind of run first
 * occurs: the workflow graph is larger than all other code of a server or function, and a chat turn, for example,
 * doesn't need it.
 */
export function createWorkerWorks(
  { models, searchKeys, workflow }: Pick<Config, "models" | "searchKeys" | "workflow">,
  executor: ReturnType<typeof compose>["executor"],
  { scripted, claudeCode, ...own }: OwnParts,
): WorkerWorks {
  const registry = createModelRegistry(models, { scripted, claudeCode })
  // Don't apply ALLOWED_HOSTS here, because addresses in messages weren't reviewed by anyone.
  const hosts = createHostPolicy([])
  const deps: Deps = {
    ...executor,
    ...workflow,
    startInside: createStartInside(executor),
    programs: teamPrograms,
    decideCommand: decideTeamCommand,
    openModel: (name, apiKey) => registry.open(name, "general", apiKey),
    fetchPage: createFetchPage({ hosts }),
    searchWeb: createSearchWeb(searchKeys, (request) => requestHost(hosts, request)),
    ...own,
  }
  return {
    workflow: lazyWork(async () => {
      const { createWorkflow } = await import("@switchyard/core/work/workflow/run-workflow")
      return createWorkflow(deps)
    }),
    chat: lazyWork(async () => {
      const { createChat } = await import("@switchyard/core/work/chat/turn/create-chat")
      return createChat(deps)
    }),
    team: lazyWork(async () => {
      const { createCoordinator } = await import("@switchyard/core/work/teams/members/coordinator")
      return createCoordinator(deps)
    }),
    work_node: lazyWork(async () => {
      const { createWorkNode } = await import("@switchyard/core/work/teams/members/work-node")
      return createWorkNode(deps)
    }),
    page: lazyWork(async () => {
      const { createPageSummary } = await import("@switchyard/core/work/chat/pages/page-summary")
      return createPageSummary(deps)
    }),
    rewind: lazyWork(async () => {
      const { createRewind } = await import("@switchyard/core/sessions/moments/repository-rewind")
      return createRewind(deps)
    }),
    fork: lazyWork(async () => {
      const { createFork } = await import("@switchyard/core/sessions/moments/fork-run")
      return createFork(deps)
    }),
    chat_files: lazyWork(async () => {
      const { createFilesWork } = await import("@switchyard/core/sessions/moments/files-run")
      return createFilesWork(deps)
    }),
  }
}

function lazyWork<Input>(load: () => Promise<RunWork<Input>>): RunWork<Input> {
  let loading: Promise<RunWork<Input>> | undefined
  return async (context) => {
    loading ??= load()
    const work = await loading
    await work(context)
  }
}
