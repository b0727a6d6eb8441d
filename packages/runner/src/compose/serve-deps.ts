import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { keepAsks } from "@switchyard/core/agents/conversations/ask-keeper"
import type { LeftLogin } from "@switchyard/core/agents/runner/login-schema"
import { storeRecording } from "@switchyard/core/agents/terminals/recordings"
import { openTerminalLog } from "@switchyard/core/agents/terminals/terminal-log"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import { parkedForOwner } from "@switchyard/core/people/budget/owner-budget"
import { requireRoom } from "@switchyard/core/people/budget/run-budgets"
import { systemClock as clock } from "@switchyard/core/time"
import { createAttachments } from "../agents/attachments.ts"
import { createDecisions } from "../agents/decisions.ts"
import { REFUSED_FOR_LONG_MS } from "../agents/turn-state.ts"
import { ownFiles } from "../files/files.ts"
import { createCheckRun } from "../gate/check-run.ts"
import { createServerPreview } from "../gate/server-preview.ts"
import { createShellCommandRun } from "../gate/shell-command-run.ts"
import type { ShowPreviewDeps } from "../gate/show-preview.ts"
import type { ToolsOf } from "../gate/workdir.ts"
import { findHead, line } from "../git/plumbing/repository.ts"
import { withoutReplacements } from "../git/plumbing/without-replacements.ts"
import { HOST_LISTS, readAgentHosts } from "../network/agent-hosts.ts"
import { findAgentUser } from "../processes/agent-user.ts"
import { createPreparation } from "../project/setup/preparation.ts"
import { findTools, openedWorktree, presentRepository } from "../project/worktree-location.ts"
import { createAgentRun } from "../serving/agent-run.ts"
import { watchCollisions } from "../serving/collision-radar.ts"
import { type ProgramHome, returnLeftLogins } from "../serving/held-login.ts"
import type { RunMessage, RunnerHost } from "../serving/host.ts"
import { createLoginRun, loginPlace } from "../serving/login-run.ts"
import type { ServeDeps } from "../serving/serve-session.ts"
import { createShells } from "../serving/shells.ts"
import { createTrainRun } from "../serving/train-run.ts"
import { createWorktreeServices, type WorktreeServices } from "../serving/worktree-services.ts"
import { openToolEndpoint } from "../tools/endpoint.ts"
import { createCore } from "./core.ts"
import { openProcesses } from "./processes.ts"
import { createProject, createRemotes } from "./project.ts"

const SAVE_EVERY_MS = 60_000
const PATIENCE = {
  ...{ firstMs: 120_000, idleMs: 900_000, busyMs: 7_200_000, leaveMs: 5000, answerMs: 900_000 },
  retryMs: REFUSED_FOR_LONG_MS,
}

/**
 * Creates everything that is needed to serve a session. `accountOf` returns a run's account, or the run's fallback
 * account named `fallback`.
 */
export async function createServeDeps(
  host: RunnerHost,
  env: NodeJS.ProcessEnv,
  accountOf: (runId: string, fallback: string | undefined) => RunMessage["account"] | undefined,
): Promise<ServeDeps> {
  const { sid, dataFolder, executor, ownerBudget } = host
  const records = join(dataFolder, "runner")
  const folder = join(records, sid)
  const journals = join(dataFolder, "repositories")
  for (const own of [folder, journals]) await mkdir(own, { recursive: true, mode: 0o700 })
  const core = createCore(host)
  const { log, newId, report } = core
  const attachments = createAttachments()
  const decisions = createDecisions()
  const processes = await openProcesses(host, env, report)
  const remotes = createRemotes(host, core, env)
  const { family, supervisor, sandbox, confinement, gitOf } = processes
  const preparation = createPreparation({
    ...{ clock, report, family, supervisor, sandbox, confinement, folder, records, dataFolder },
    ...{ host: env, programs: host.programs, local: host.local, homes: join(dataFolder, "homes") },
    archives: host.archives,
  })
  const { confineGit } = processes
  const project = { ...createProject(host, core, { folder, journals, remotes }), preparation, confineGit }
  const user = await findAgentUser(env.SWITCHYARD_AGENT_USER)
  const agentHosts = readAgentHosts(env.SWITCHYARD_AGENT_HOSTS)
  const tools = await openToolEndpoint({ report })
  const moved = (runId: string) => host.send({ type: "reconcile", run_id: runId })
  const projects = {
    ...{ family, supervisor, sandbox, folder, host: env, homes: join(dataFolder, "homes") },
    confinement: processes.checkConfinement,
    checkHosts: readAgentHosts(env.SWITCHYARD_CHECK_HOSTS, HOST_LISTS.checks),
  }

  const install = { folder: join(dataFolder, "programs"), clock, host: env, ...(user && { user }) }
  const ended = new AbortController()
  const terminals = { clock, newId, report, supervisor, family, ended: ended.signal }

  function homeOfLogin({ id, home: { worktree, repository } }: LeftLogin): ProgramHome {
    const user = sandbox?.userOf(worktree, repository)
    return { home: user?.homeOf(id) ?? join(dataFolder, "homes", id), disk: user?.files ?? ownFiles }
  }

  const loginHome = loginPlace(sandbox, { homes: join(dataFolder, "homes"), sid })
  const removeLoginHome = () => loginHome.disk.remove(loginHome.home)

  return {
    ...core,
    attachments,
    decisions,
    send: host.send,
    reconcile: async (_session, runId) => moved(runId),
    async requireBudget(session, run, options) {
      await requireRoom(session, run, options)
      const { reached } = await ownerBudget.look(session, run.runId, options)
      if (reached) throw parkedForOwner(reached)
    },
    keepAsks: (session, options) => keepAsks({ ...core, moved }, session, options),
    watchCollisions(session, { worktrees, ...options }) {
      const projectOf = (worktree: string) => worktrees.of(worktree).project
      return watchCollisions({ log, clock, newId, report, projectOf }, session, options)
    },
    executor,
    leases: host.records,
    verboseErrors: host.verboseErrors,
    async cleanUp() {
      await processes.cleanUp()
      await removeLoginHome()
      await returnLeftLogins({ ask: host.logins, report }, host.leftLogins, homeOfLogin, ended)
    },
    createWorktrees(session, generation) {
      const everyMs = host.saveEveryMs ?? SAVE_EVERY_MS
      const shells = createShells(
        {
          ...{ ...terminals, attachments, preparation, host: env, folder },
          keepRecording: keepRecordings(host, session.state.session.incarnation),
          openLog: (about) => openTerminalLog(core, { sid, writer: executor, ...about }),
        },
        session,
        generation,
      )
      return createWorktreeServices({ log, project, gitOf, newId, everyMs, report, shells }, session, generation)
    },
    createPreview(session, { generation, worktrees }) {
      const about = { generation, yielding: host.yielding }
      const commitOf = createCommitOf(worktrees)
      const tools = toolsOf(worktrees)
      return createServerPreview({ ...core, ...projects, send: host.send, commitOf, toolsOf: tools }, session, about)
    },
    createWork: ({ incarnation, sessionSeq, worktrees }) => ({
      check: createCheckRun({ ...core, ...projects, toolsOf: toolsOf(worktrees) }),
      shellCommand: createShellCommandRun({ ...core, ...projects, agentHosts }),
      train: createTrainRun({ ...core, ...projects, worktrees }),
      login: createLoginRun({
        ...{ ...terminals, attachments, confinement, folder, host: env, programs: host.programs, sessionSeq },
        place: loginHome,
        hasBrowser: host.local,
        install,
        openLog: (pty) => openTerminalLog(core, { sid, incarnation, pty, writer: executor }),
        ask: host.logins,
      }),
      agent: createAgentRun({
        ...core,
        checks: { ...core, ...projects },
        attachments,
        decisions,
        askedSomething: moved,
        ...{ tools, moved, ownerBudget },
        sessionSeq,
        family,
        supervisor,
        sandbox,
        confinement,
        folder,
        host: env,
        hosts: host.hosts,
        agentHosts,
        programs: host.programs,
        patience: { ...PATIENCE, answerMs: host.parkAfterMs ?? PATIENCE.answerMs },
        install,
        openLog: (pty) => openTerminalLog(core, { sid, incarnation, pty, writer: executor }),
        keepRecording: keepRecordings(host, incarnation),
        ended: terminals.ended,
        worktrees,
        accountOf({ runId, user, fallback }) {
          const {
            api_key = null,
            base_url = null,
            login = null,
            home = "none",
            bedrock,
            mock,
            added,
          } = accountOf(runId, fallback) ?? {}
          const folderOfHome = user?.homeOf(home) ?? join(dataFolder, "homes", home)
          return { apiKey: api_key, baseUrl: base_url, login, home: folderOfHome, bedrock, mock, added }
        },
        logins: host.logins,
        awsCredentials: host.awsCredentials,
      }),
    }),
  }
}

/**
 * Returns a function that finds the head commit of the session's main worktree. If there is no worktree, it finds the
 * checked-out commit.
 */
function createCommitOf(worktrees: WorktreeServices): ShowPreviewDeps["commitOf"] {
  return async ({ sid, state }, options) => {
    const { repository } = state.session
    if (repository === null) return undefined
    const about = { sid, repository, state }
    const { project } = worktrees.of(MAIN_WORKTREE)
    const worktree = (await openedWorktree(project, about, options))?.worktree
    const place = worktree ?? (await presentRepository(project, about, options))
    if (!place) return undefined
    const git = withoutReplacements(place.git)
    const { folder } = place.repository
    const head = worktree && (await findHead(git, place.repository, worktree.branch, options))
    const commit =
      head ?? (await line(git, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { cwd: folder, ...options }))
    return commit === undefined ? undefined : { git, repository: folder, commit }
  }
}

const toolsOf =
  (worktrees: WorktreeServices): ToolsOf =>
  (session, options) =>
    findTools(worktrees.of(MAIN_WORKTREE).project, session, options)

/** Returns a function that stores a session's terminal recordings. */
function keepRecordings({ sid, blobs }: RunnerHost, incarnation: number) {
  return (pty: string, source: AsyncIterable<Uint8Array>) => storeRecording(blobs, { sid, incarnation, pty }, source)
}
