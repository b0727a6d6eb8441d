import { createConsents } from "@switchyard/core/agents/conversations/consents"
import { createDelivery } from "@switchyard/core/agents/conversations/delivery"
import { createStartConsents } from "@switchyard/core/agents/conversations/start-consents"
import { createQuestionIndex } from "@switchyard/core/agents/questions/question-index"
import { createInboxes } from "@switchyard/core/agents/runner/inboxes"
import { createLooseEnds } from "@switchyard/core/agents/runner/loose-ends"
import { sweepWorktree } from "@switchyard/core/agents/runner/sweep-worktree"
import { createSetupConsents } from "@switchyard/core/agents/setup/setup-consents"
import { createArchives, sweepArchive } from "@switchyard/core/files/archives/archive-job"
import { collectGarbage } from "@switchyard/core/files/workspaces/garbage"
import { createRepositoryCredentials } from "@switchyard/core/files/worktrees/repository-credentials"
import { createNewId } from "@switchyard/core/ids"
import { createDueList } from "@switchyard/core/kernel/due"
import type { SessionLog, SessionLogDeps } from "@switchyard/core/kernel/session-log"
import { isLive } from "@switchyard/core/kernel/state"
import { createLog } from "@switchyard/core/log/log"
import type { Wakeups } from "@switchyard/core/log/notifier"
import { defaultAwsAccess } from "@switchyard/core/models/aws-access"
import { createModelCatalog } from "@switchyard/core/models/catalog"
import { createHostPolicy } from "@switchyard/core/network/host-policy"
import { createAccounts } from "@switchyard/core/people/accounts/accounts"
import { createAgentAccounts } from "@switchyard/core/people/accounts/agents"
import type { Budgets, createBudgets } from "@switchyard/core/people/budget/budgets"
import { createLimitSettings, type KnownLimits } from "@switchyard/core/people/settings/limit-settings"
import { createRulesOfOwners } from "@switchyard/core/people/settings/permission-rules"
import { createRepositoriesOfOwners } from "@switchyard/core/people/settings/repository-settings"
import { createSettings } from "@switchyard/core/people/settings/settings"
import type { Webhooks } from "@switchyard/core/people/webhooks/webhooks"
import type { Deliveries } from "@switchyard/core/sessions/agents/deliveries"
import { createQuestions } from "@switchyard/core/sessions/agents/questions"
import { createApps } from "@switchyard/core/sessions/apps/apps"
import { createCleanups } from "@switchyard/core/sessions/cleanup"
import { sweepSession } from "@switchyard/core/sessions/expiry"
import { createOwnerLimits } from "@switchyard/core/sessions/owner-limits"
import type { ChangeTeam } from "@switchyard/core/sessions/requests/change-team"
import { createSessions } from "@switchyard/core/sessions/sessions"
import { type SessionState, sessionFold } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"
import { createRetryingStores } from "@switchyard/core/storage/retrying-stores"
import type { Sealer } from "@switchyard/core/storage/sealing"
import type { Clock } from "@switchyard/core/time"
import type { ExecutorDeps } from "@switchyard/core/work/runs/execute"
import type { Launcher } from "@switchyard/core/work/runs/launcher"
import { type AfterRun, createReconcile } from "@switchyard/core/work/runs/reconcile"
import { createRunIndex } from "@switchyard/core/work/runs/run-index"
import { createCallerKey, createRunSecrets } from "@switchyard/core/work/runs/run-secrets"
import { createRuns, type RunsDeps } from "@switchyard/core/work/runs/runs"
import { isEnded, runOf } from "@switchyard/core/work/runs/state"
import type { SweepDeps } from "@switchyard/core/work/runs/sweep"
import type { Ledger } from "@switchyard/core/work/usage/ledger"
import { nameOfSize } from "@switchyard/core/work/usage/machines"
import { deleteCheckpoints } from "@switchyard/core/work/workflow/checkpoints/checkpoints"
import type { Config } from "./config.ts"
import { lazyGit } from "./lazy-git.ts"
import type { WebhookDeps } from "./webhooks.ts"

/** Adapters that a single machine and the cloud implement differently. */
export interface Ports {
  records: Records
  blobs: Blobs
  clock: Clock
  wakeups?: Wakeups
  sealer: Sealer
  /** Returns a sealer whose data can be unsealed only by the session's runners. */
  sealerOf: (sid: string) => Sealer
  launcher: Launcher
  /**
   * Finds the repositories around a folder on this machine: those that contain the folder, and the main repository if
   * one of them is a linked worktree. The nearest one comes last. Undefined if callers can't name folders.
   */
  repositoriesAround?: (folder: string) => Promise<string[]>
  /** Name of this process in the events and records it writes. */
  writer: string
  report: (error: unknown) => void
  /** Receives each batch of events that this process appends to a session, and the state after it. */
  onAppended?: SessionLogDeps["onAppended"]
}

/**
 * Retry window of a request's storage calls. After that, the request fails with `storage_unavailable` as soon as its
 * last call returns.
 */
const REQUEST_RETRY_MS = 6000

/** A workflow without progress for this long counts as stalled. A healthy one makes progress within seconds. */
const STALL_AFTER_MS = 5 * 60_000

/** Composes core from its ports, for requests, executors and the sweep. */
export function compose(config: Config, ports: Ports) {
  const { records, clock, launcher } = ports
  const newId = createNewId(clock.now)
  const withStores = (stores: Pick<Ports, "records" | "blobs">, retryForMs?: number) => {
    const due = createDueList(stores.records)
    const index = createRunIndex(stores.records)
    const told = lazyWebhooks({ ...ports, ...stores, newId, due, index })
    const shared = {
      ...ports,
      ...stores,
      retryForMs,
      newId,
      ...{ container: config.containers.usual, containers: config.containers },
      fold: sessionFold,
      log: createLog({ ...ports, ...stores, retryForMs }),
      due,
      index,
      ...told,
      questionIndex: createQuestionIndex({ ...stores, index: createRunIndex(stores.records) }),
      ledger: lazyLedger({ ...stores, index }),
      keys: createRunSecrets(stores.records, ports.sealer, clock.now),
      repositoryCredentials: createRepositoryCredentials({ ...ports, ...stores }),
    }
    const maxActive = config.agentsPerSession
    const permissionRules = createRulesOfOwners({ ...ports, ...stores })
    const containerSizes = config.containers.others.map(nameOfSize)
    const repositories = createRepositoriesOfOwners({ ...ports, ...stores, containerSizes })
    const accounts = createAccounts({ ...shared, added: config.addedAgents })
    const limitSettings = createLimitSettings({
      ...stores,
      accounts,
      knownLimits: lazyKnownLimits({ ...stores, clock }),
    })
    const budgets = lazyBudgets(shared)
    const ofOwners = { settings: createSettings(stores), limitSettings, permissionRules, repositories }
    const startConsents = createStartConsents(shared)
    const setupConsents = createSetupConsents({ ...ports, ...stores })
    const settings = { ...ofOwners, startConsents, setupConsents, budgets, budgetWaits: budgets, maxActive }
    const delivery = createDelivery({ ...shared, ...settings })
    const closeLooseEnds = createLooseEnds(shared)
    const settling = { ...shared, ...settings, closeLooseEnds }
    const afterRun: AfterRun = async (...given) => {
      const [{ state }] = given
      if (state.team) await settleTeam(settling, ...given)
      await removeEndedLogin(...given)
      await startConsents.update(...given)
      await delivery.afterRun(...given)
    }
    return { ...shared, ...settings, accounts, delivery, afterRun, closeLooseEnds }
  }
  const base = withStores(ports, REQUEST_RETRY_MS)
  const { log, keys, index, accounts } = base
  const git = lazyGit(base)

  const forgetRun: SweepDeps["forgetRun"] = async (sid, runId, options) => {
    await Promise.all([keys.erase(runId, options), deleteCheckpoints(base, sid, runId, options)])
  }
  const limits = createOwnerLimits({ ...base, limits: config.limits })
  const apps = createApps({ ...base, limits })
  const sessions = createSessions({ ...base, ...git, limits })
  /** Deletes a login's session once its run has ended. If the process dies before that, the sweep does so. */
  async function removeEndedLogin({ state }: { state: SessionState }, runId: string, options: { signal: AbortSignal }) {
    const run = runOf(state, runId)
    if (run?.kind !== "login" || !isEnded(run) || !isLive(state)) return
    const ref = await base.index.get(runId, options)
    if (ref) await sessions.remove(ref.owner, ref.session_id, options)
  }
  const cleanups = createCleanups({ ...base, retentionMs: config.retentionMs })
  const expiry = {
    ...base,
    limits,
    cleanups,
    retentionMs: config.retentionMs,
    freeFiles: async (session: SessionLog, options: { signal: AbortSignal }) => {
      await collectGarbage(base, session, options)
    },
    forgetRun: async (sid: string, runId: string, options: { signal: AbortSignal }) => {
      await forgetRun(sid, runId, options)
      await index.remove(runId, options)
    },
  }
  let unavailableAt = Number.NEGATIVE_INFINITY
  const retryingStores = createRetryingStores(ports, clock, () => {
    unavailableAt = clock.monotonic()
  })
  const patient = withStores(retryingStores)
  return {
    log,
    newId,
    fold: sessionFold,
    launcher,
    writer: ports.writer,
    sessions,
    apps,
    settings: base.settings,
    cleanups,
    permissionRules: base.permissionRules,
    repositories: base.repositories,
    limitSettings: base.limitSettings,
    ledger: base.ledger,
    budgets: base.budgets,
    accounts,
    ...git,
    repositoryCredentials: base.repositoryCredentials,
    catalog: createModelCatalog({ ...ports, bedrock: bedrockAccess(config) }),
    agentAccounts: createAgentAccounts({
      accounts,
      keys: config.agentKeys,
      bedrock: config.agentBedrock,
      withMock: !config.production,
      added: config.addedAgents,
    }),
    consents: createConsents(base),
    startConsents: base.startConsents,
    setupConsents: base.setupConsents,
    limits,
    webhooks: base.webhooks,
    deliveries: base.deliveries,
    hosts: createHostPolicy(config.allowedHosts),
    inboxes: createInboxes(base),
    runs: createRuns(base),
    questions: createQuestions(base),
    changeTeam: lazyChangeTeam(base),
    delivery: base.delivery,
    maxActive: base.maxActive,
    archives: createArchives(base),
    // A request should succeed or fail soon, whereas a running task should wait for storage.
    executor: {
      ...patient,
      reconcile: createReconcile(patient),
      callerKey: createCallerKey(patient),
      requireBudget: patient.budgets.requireInRun,
      reserveBudget: patient.budgets.reserveInRun,
      leases: records,
      stallAfterMs: STALL_AFTER_MS,
      unavailableAt: () => unavailableAt,
      verboseErrors: config.verboseErrors,
    } satisfies Omit<ExecutorDeps, "executor" | "work">,
    sweep: {
      ...base,
      launcher,
      forgetRun,
      sweepMessages: base.delivery.sweep,
      sweepWorktree: (subject, options) => sweepWorktree(base, subject, options),
      sweepSession: ({ sid }, options) => sweepSession(expiry, sid, options),
      sweepArchive: (subject, options) => sweepArchive(base, subject, options),
      sweepApp: (subject, options) => apps.sweep(subject, options),
      sweepDelivery: (subject, options) => base.deliveries.sweep(subject, options),
    } satisfies SweepDeps,
  }
}

/** Loads the known limits when a task begins, if the task's owner has rules that need them. */
function lazyKnownLimits(deps: Pick<Ports, "records"> & { clock: Clock }): KnownLimits {
  return async (...given) => {
    const { createKnownLimits } = await import("@switchyard/core/people/usage/account-usage")
    return createKnownLimits(deps)(...given)
  }
}

/** Cancels work that a team no longer needs. Loads the module only for sessions with a team. */
async function settleTeam(deps: RunsDeps, ...given: Parameters<AfterRun>): Promise<void> {
  const { createSettleTeam } = await import("@switchyard/core/sessions/requests/settle-team")
  return createSettleTeam(deps)(...given)
}

function lazyChangeTeam(deps: RunsDeps): ChangeTeam {
  return async (...given) => {
    const { createChangeTeam } = await import("@switchyard/core/sessions/requests/change-team")
    return createChangeTeam(deps)(...given)
  }
}

function lazyLedger(deps: Pick<Ports, "records"> & { index: ReturnType<typeof createRunIndex> }): Ledger {
  const opened = async () => (await import("@switchyard/core/work/usage/ledger")).createLedger(deps)
  return {
    update: async (...given) => (await opened()).update(...given),
    async *read(...given) {
      yield* (await opened()).read(...given)
    },
  }
}

function lazyBudgets(deps: Parameters<typeof createBudgets>[0]): Budgets {
  const opened = async () => (await import("@switchyard/core/people/budget/budgets")).createBudgets(deps)
  return {
    read: async (...given) => (await opened()).read(...given),
    change: async (...given) => (await opened()).change(...given),
    require: async (...given) => (await opened()).require(...given),
    requireInRun: async (...given) => (await opened()).requireInRun(...given),
    reserveInRun: async (...given) => (await opened()).reserveInRun(...given),
    changeWork: async (...given) => (await opened()).changeWork(...given),
    readWork: async (...given) => (await opened()).readWork(...given),
    update: async (...given) => (await opened()).update(...given),
  }
}

/** Loads webhooks on demand, because most processes don't deliver any. */
function lazyWebhooks(deps: WebhookDeps): { webhooks: Webhooks; deliveries: Deliveries } {
  let loading: Promise<{ webhooks: Webhooks; deliveries: Deliveries }> | undefined
  const open = async () => (await import("./webhooks.ts")).openWebhooks(deps)
  const opened = () => {
    loading ??= open()
    return loading
  }
  return {
    webhooks: {
      create: async (...given) => (await opened()).webhooks.create(...given),
      list: async (...given) => (await opened()).webhooks.list(...given),
      remove: async (...given) => (await opened()).webhooks.remove(...given),
      open: async (...given) => (await opened()).webhooks.open(...given),
    },
    deliveries: {
      update: async (...given) => (await opened()).deliveries.update(...given),
      sweep: async (...given) => (await opened()).deliveries.sweep(...given),
      list: async (...given) => (await opened()).deliveries.list(...given),
    },
  }
}

/** Returns the configured Bedrock models, and the access to their AWS account. */
function bedrockAccess({ models: { bedrock } }: Config) {
  return bedrock && { models: bedrock.models, aws: defaultAwsAccess(bedrock.region) }
}
