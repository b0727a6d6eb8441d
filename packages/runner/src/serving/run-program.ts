import { cliOf } from "@switchyard/core/agents/added/cli-of"
import type { AgentAccount } from "@switchyard/core/agents/clis/cli"
import type { WrittenFiles } from "@switchyard/core/agents/conversations/claims"
import { createPeers } from "@switchyard/core/agents/conversations/peers"
import { createPeople } from "@switchyard/core/agents/conversations/people"
import type { AnsweredQuestion } from "@switchyard/core/agents/conversations/prompt"
import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { type Checkpoint, summaryOf } from "@switchyard/core/agents/hand-off/checkpoint"
import type { RepositoryRules } from "@switchyard/core/agents/permissions/repository-rules-schema"
import type { NewEvent } from "@switchyard/core/events"
import { storeArtifact } from "@switchyard/core/kernel/artifact"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { loginRefused } from "@switchyard/core/people/accounts/keys-only"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { runOf } from "@switchyard/core/work/runs/state"
import type { AgentDecisions } from "../agents/decisions.ts"
import type { ResumePoint } from "../agents/resume-point.ts"
import { runTask } from "../agents/run-task.ts"
import { startFolder } from "../agents/start-folder.ts"
import type { Task, TaskEnd } from "../agents/task.ts"
import { prepareHome } from "../agents/task-program.ts"
import { ownFiles } from "../files/files.ts"
import { signedByRunner } from "../gateway/bedrock.ts"
import { openGateway } from "../gateway/gateway.ts"
import { toText } from "../git/plumbing/git-path.ts"
import { readWork } from "../git/worktrees/worktree-record.ts"
import { admitProject, type StartConsent } from "../project/admit-project.ts"
import { listed } from "../project/listed.ts"
import type { Project } from "../project/project.ts"
import type { ProjectDeps } from "../project/project-deps.ts"
import { bringScreenshots } from "../project/screenshots.ts"
import { neededBy, type Prepared, variablesOf } from "../project/setup/prepare-worktree.ts"
import { agentGitMounts } from "../sandbox/git-sandbox.ts"
import { readOnlyMounts } from "../sandbox/read-only-mounts.ts"
import { guardSettings } from "../sandbox/settings-guard.ts"
import type { ToolAddress } from "../tools/endpoint.ts"
import { finishTools } from "../tools/finish-worktree.ts"
import type { OwnServers } from "../tools/own-servers.ts"
import { peerTools } from "../tools/peer-tools.ts"
import { personTools } from "../tools/person-tools.ts"
import { ruledServerTools, ruledTools } from "../tools/ruled-tools.ts"
import { teamTools } from "../tools/team-tools.ts"
import { openAgentNetwork } from "./agent-network.ts"
import { type HeldLogin, type LoginUse, takeLogin } from "./held-login.ts"
import type { RunLimits } from "./limits.ts"
import { openSetupServers, ownSetup } from "./own-setup.ts"
import { openRunBudget } from "./run-budget.ts"
import { showEarlierMessages, takeOverSession } from "./take-over-session.ts"
import type { WorkDeps } from "./work-deps.ts"

/** Work of one program on a run: the task's original program, or a program that took over from it. */
export interface ProgramWork {
  session: SessionLog
  agentId: string
  place: ProjectDeps
  project: Project
  autosave: ReturnType<WorkDeps["worktrees"]["of"]>["autosave"]
  decisions: AgentDecisions
  /** Rules in the repository's file. */
  rules: RepositoryRules | undefined
  limits: RunLimits
  prepared: Prepared | undefined
  /** Earlier work to resume, with a summary of the parts that the session doesn't contain. */
  past: ResumePoint & { earlierWork?: string | undefined }
  /** Reads all work of the agent. */
  recall: () => Promise<Checkpoint>
  written: WrittenFiles
  answered: AnsweredQuestion | undefined
  /** Problems found in the work. They are described at the beginning of the prompt. */
  revision: string | undefined
  /** This program's own session, if the program has worked on the run before. */
  own: { nativeSession: string | null } | undefined
}

export const NOTHING_BEFORE: ResumePoint = { nativeSession: null, unknown: [], followUp: true, interrupted: false }

/** Runs the task with the run's current program. Returns `busy` if another task is using the account's login. */
export async function runProgram(
  deps: WorkDeps,
  context: RunContext<AgentInput>,
  work: ProgramWork,
): Promise<TaskEnd | "busy"> {
  const { sid, runId, signal } = context
  const { session, agentId, place, project, autosave, decisions, limits, prepared, past, answered, own } = work
  const { takenOver, program } = limits
  const input = { ...context.input, ...program }
  const repository = project.repository.isOwn ? "own" : "machine"
  const user = deps.sandbox?.userOf(place.worktree, repository)
  const fallback = takenOver && program.account !== null ? program.account : undefined
  const { home, login, ...account } = deps.accountOf({ runId, user, fallback })
  if (login !== null && input.keys_only) return refusedLogin(login)
  const disk = user?.files ?? ownFiles
  await prepareHome(user, home, [])
  const use = {
    runId,
    account: login,
    cli: input.cli,
    user: { worktree: place.worktree, repository },
    home,
    disk,
  } as const
  await using held = await openLogin(deps, use, { signal })
  if (held?.state === "busy") return "busy"
  const { concealment } = held ?? {}
  const { added } = account
  const who = { agentId, cli: input.cli, account: input.account, added, home, disk, concealment }
  const cwd = await startFolder(who.disk, project.cwd, input.cwd)
  const isNew = !own && !takenOver && past.nativeSession === null
  const begun = isNew ? await takeOverSession(deps, input, cwd, user) : undefined
  const saved = await autosave.restoreSession(who, { signal })
  await prepareHome(user, home, [...saved, ...(begun?.files ?? [])])
  async function append(shown: NewEvent[]): Promise<void> {
    const events = concealment?.events(shown) ?? shown
    await context.record([...events, ...limits.watch(events)])
    // Ignore files in the program's home, where programs store plans and memories.
    work.written.see(events.filter((event) => !("path" in event && event.path?.startsWith(`${home}/`))))
    if (events.some(({ type }) => type === "question_asked" || type === "question_withdrawn"))
      deps.askedSomething(runId)
    for (const event of events) {
      if (event.type === "agent_session_opened") autosave.trackSession(who, event.native_session_id)
    }
  }
  if (begun) await showEarlierMessages(context, begun, append)
  // The runner's own state may not yet include events that this run has just appended.
  const sessionSeq = () => Math.max(deps.sessionSeq(), context.state().head)
  const { incarnation } = context.state().session
  const storeOutput = (bytes: Uint8Array) => storeArtifact(deps.blobs, { sid, incarnation }, bytes, { signal })
  const images = { sid, incarnation, folder: project.cwd, screenshots: input.screenshots ?? [] }
  const screenshots = await bringScreenshots({ blobs: deps.blobs, files: who.disk }, images, { signal })
  await using reached = await reach(deps, input, account)
  const setup = await ownSetup(context, input, deps.host.HOME)
  await using servers = openSetupServers(deps, context, user ? [] : setup.servers)
  using tools = openTools(deps, { session, servers, agentId }, context)
  await using network = await openAgentNetwork({ ...deps, append }, { ...reached, cli: input.cli, tools, user })
  const { isOwn } = project.repository
  const guard = isOwn ? undefined : await guardSettings(project.worktree, deps.confinement ?? {}, { signal })
  await using _settled = {
    async [Symbol.asyncDispose]() {
      const dropped = await guard?.settle()
      if (dropped !== undefined) place.notices.add(dropped)
    },
  }
  const consent = await startConsent(context, project)
  const end = await runTask(
    {
      ...deps,
      user,
      concealment,
      attachments: deps.attachments.ofAgent(agentId),
      decisions,
      append,
      budget: openRunBudget(context, deps.ownerBudget),
      limits: limits.stop,
      storeArtifact: storeOutput,
      sessionSeq,
      admitProject: (cli, options) => admitProject(place, project.worktree, { cli, cwd, consent }, options),
    },
    {
      ...reached,
      ...(prepared && { variables: variablesOf(prepared), needs: neededBy(prepared) }),
      toolPath: prepared?.installed?.path,
      input,
      root: project.cwd,
      cwd,
      home,
      git: deps.confinement?.means && [
        ...(await agentGitMounts(project.worktree)),
        ...(await readOnlyMounts(project.worktree, work.rules)),
      ],
      setup: setup.files,
      notes: { ...project.notes, screenshots },
      tools,
      network,
      resume: (own ?? takenOver ?? past).nativeSession ?? begun?.session ?? null,
      handedOver: own ? undefined : takenOver?.summary,
      earlierWork: takenOver ? undefined : past.earlierWork,
      recall: async () => summaryOf(await work.recall()),
      revision: work.revision,
      followUp: past.followUp || begun !== undefined,
      interrupted: past.interrupted,
      answered,
    },
    { signal },
  )
  if (isOwn) await user?.share(project.repository.folder)
  return end
}

const SEND_CONSENT =
  'To allow these files as of the commit the work started from, send a task with "consent": true and the scope `admin`.'
const IN_THIS_MODE =
  "In modes that ask for permission, and with rules that deny or ask, agents never read such files, because these could override a rule."
const UNLIKE_BASE =
  "They differ from the commit that the work started from, and the consent covers only that commit. To allow them, start the work from a commit that contains them."

/**
 * Returns the consent for project files that start programs. It consists of the owner's earlier consents and the task's
 * own.
 */
async function startConsent(context: RunContext<AgentInput>, { worktree }: Project): Promise<StartConsent> {
  const { input, record, warn } = context
  const { base_commit } = await readWork(worktree)
  const digests = new Set(input.consents ?? [])
  const allowed = new Set<string>()
  let isReported = false
  return {
    digests,
    commit: input.consent ? base_commit : undefined,
    async onAllowed({ digest, paths }, by) {
      digests.add(digest)
      if (allowed.has(digest)) return
      allowed.add(digest)
      const before = by === "digest" && { given_before: true }
      await record([{ type: "start_files_allowed", digest, files: paths.map(toText).slice(0, 100), ...before }])
    },
    async onHidden({ paths, starts }, why) {
      const files = listed(paths.map(toText))
      const what = `The agent is working without ${files}, which would start programs: ${starts.join("; ")}.`
      const text = `${what} ${why === "mode" ? IN_THIS_MODE : input.consent ? UNLIKE_BASE : SEND_CONSENT}`
      warn(text)
      if (!isReported) await record([{ type: "agent_notice", text }])
      isReported = true
    },
  }
}

/** Returns the result for a run that must use API keys, but whose account has been switched to a CLI login. */
export function refusedLogin(account: string): TaskEnd {
  const refused = loginRefused(account)
  return { outcome: { type: "auth", message: refused.message }, refused, summary: undefined, nativeSession: null }
}

/** Writes the account's login to the home. Returns undefined if the account uses a key or was removed. */
export async function openLogin(
  { logins, clock, report }: Pick<WorkDeps, "logins" | "clock" | "report">,
  { account, ...use }: Omit<LoginUse, "account"> & { account: string | null },
  options: { signal: AbortSignal },
): Promise<HeldLogin | BusyLogin | undefined> {
  if (account === null) return undefined
  const taken = await takeLogin({ ask: logins, clock, report }, { account, ...use }, options)
  if (taken.state === "busy") return { state: "busy", async [Symbol.asyncDispose]() {} }
  return taken.state === "held" ? taken : undefined
}

type BusyLogin = { state: "busy" } & AsyncDisposable

/** Opens a tool endpoint that only this turn's agent can use. */
function openTools(
  deps: WorkDeps,
  { session, servers, agentId }: Pick<ProgramWork, "session" | "agentId"> & { servers: OwnServers },
  { runId, signal, state }: RunContext<AgentInput>,
): ToolAddress & Disposable {
  const generation = runOf(state(), runId)?.generation ?? 0
  const caller = { agentId, runId, generation }
  const { timeout } = AbortSignal
  const people = createPeople(deps, session, caller)
  const policy = () => deps.decisions.ofAgent(agentId).policy
  const ruled = {
    ...peerTools(createPeers(deps, session, caller), { timeout }),
    ...personTools(people, { timeout }),
    ...teamTools({ ...deps, session, caller, timeout }),
  }
  const tools = {
    ...ruledTools(ruled, { policy, people, timeout }),
    ...finishTools({ ...deps, session, caller, people, policy, timeout }),
  }
  return deps.tools.open(async (request, message) => {
    // Load the protocol module only on the first request, as the API does.
    const { serveTools } = await import("../tools/serve-tools.ts")
    // Servers may take long to start, so only the requests that need their tools wait for them.
    const isAboutTools = "method" in message && String(message.method).startsWith("tools/")
    const ofServers = isAboutTools ? await servers.tools() : {}
    const all = { ...tools, ...ruledServerTools(ofServers, { policy, people, timeout }) }
    return serveTools({ tools: all, signal, report: deps.report })(request, message)
  })
}

/**
 * Opens a gateway if possible, so that the agent doesn't need the account's key. If the gateway doesn't support the
 * API, the agent gets the key itself.
 */
export async function reach(
  { host, hosts, clock, awsCredentials }: Pick<WorkDeps, "host" | "hosts" | "clock" | "awsCredentials">,
  { cli, model }: AgentInput,
  account: AgentAccount,
): Promise<Pick<Task, "account" | "gateway"> & AsyncDisposable> {
  const { apiKey, baseUrl, bedrock } = account
  if (bedrock && awsCredentials) {
    const access = { ...bedrock, baseUrl, credentials: awsCredentials, now: clock.now }
    const gateway = await openGateway({ ...signedByRunner(access), env: host, now: clock.now })
    return {
      account: { ...account, apiKey: gateway.token, baseUrl: gateway.url },
      gateway,
      [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
    }
  }
  const upstream = baseUrl ?? cliOf(cli).defaultApi(model)
  if (apiKey === null || upstream === null) return { account, [Symbol.asyncDispose]: async () => {} }
  // No caller chose the CLI's default API, so its host needn't be checked.
  const checked = baseUrl === null ? undefined : hosts
  const gateway = await openGateway({ apiKey, upstream, hosts: checked, env: host, now: clock.now })
  return {
    account: { ...account, apiKey: gateway.token, baseUrl: gateway.url, isDefaultApi: baseUrl === null },
    gateway,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}
