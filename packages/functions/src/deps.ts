import type { Consents } from "@switchyard/core/agents/conversations/consents"
import type { Delivery } from "@switchyard/core/agents/conversations/delivery"
import type { StartConsents } from "@switchyard/core/agents/conversations/start-consents"
import type { Inboxes } from "@switchyard/core/agents/runner/inboxes"
import type { SetupConsents } from "@switchyard/core/agents/setup/setup-consents"
import type { Archives } from "@switchyard/core/files/archives/archive-job"
import type { RepositoryCredentials } from "@switchyard/core/files/worktrees/repository-credentials"
import type { NewId } from "@switchyard/core/ids"
import type { SessionFold } from "@switchyard/core/kernel/fold"
import type { Log } from "@switchyard/core/log/log"
import type { ModelCatalog } from "@switchyard/core/models/catalog"
import type { HostPolicy } from "@switchyard/core/network/host-policy"
import type { Principal } from "@switchyard/core/people/access/schema"
import type { Accounts } from "@switchyard/core/people/accounts/accounts"
import type { AgentAccounts } from "@switchyard/core/people/accounts/agents"
import type { Budgets } from "@switchyard/core/people/budget/budgets"
import type { GitHooks } from "@switchyard/core/people/git-hooks/git-hooks"
import type { GitHosts } from "@switchyard/core/people/git-hosts/git-hosts"
import type { LimitSettingsOfOwners } from "@switchyard/core/people/settings/limit-settings"
import type { RulesOfOwners } from "@switchyard/core/people/settings/permission-rules"
import type { RepositoriesOfOwners } from "@switchyard/core/people/settings/repository-settings"
import type { Settings } from "@switchyard/core/people/settings/settings"
import type { Webhooks } from "@switchyard/core/people/webhooks/webhooks"
import type { Deliveries } from "@switchyard/core/sessions/agents/deliveries"
import type { Questions } from "@switchyard/core/sessions/agents/questions"
import type { Apps } from "@switchyard/core/sessions/apps/apps"
import type { Cleanups } from "@switchyard/core/sessions/cleanup"
import type { GitHostGrants } from "@switchyard/core/sessions/git-host-grants"
import type { OwnerLimits } from "@switchyard/core/sessions/owner-limits"
import type { AgentHost } from "@switchyard/core/sessions/requests/agent-host"
import type { ChangeTeam } from "@switchyard/core/sessions/requests/change-team"
import type { Sessions } from "@switchyard/core/sessions/sessions"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"
import type { SignedBlob } from "@switchyard/core/storage/signed-blobs"
import type { Clock } from "@switchyard/core/time"
import type { FetchPage } from "@switchyard/core/work/pages/fetch-page"
import type { Launcher } from "@switchyard/core/work/runs/launcher"
import type { Runs } from "@switchyard/core/work/runs/runs"
import type { Ledger } from "@switchyard/core/work/usage/ledger"
import type { Access } from "./access.ts"
import type { Config } from "./config.ts"
import type { StudioFiles } from "./http/studio.ts"
import type { Previews } from "./previews/previews.ts"

/** Dependencies of the HTTP app, created once by its composition root. */
export interface AppDeps {
  config: Config
  version: string
  newSessionId: () => string
  clock: Clock
  newId: NewId
  fold: SessionFold
  records: Records
  blobs: Blobs
  log: Log
  sessions: Sessions
  apps: Apps
  settings: Settings
  cleanups: Cleanups
  permissionRules: RulesOfOwners
  repositories: RepositoriesOfOwners
  limitSettings: LimitSettingsOfOwners
  budgets: Budgets
  ledger: Ledger
  webhooks: Webhooks
  deliveries: Deliveries
  accounts: Accounts
  gitHosts: GitHosts
  gitHostGrants: GitHostGrants
  gitHooks: GitHooks
  repositoryCredentials: RepositoryCredentials
  catalog: ModelCatalog
  runs: Runs
  questions: Questions
  changeTeam: ChangeTeam
  delivery: Delivery
  /** Maximum number of agents that can work in a session at the same time. */
  maxActive: number
  archives: Archives
  access: Access
  agentAccounts: AgentAccounts
  consents: Consents
  startConsents: StartConsents
  setupConsents: SetupConsents
  /** Hosts that callers may name for repositories and accounts. */
  hosts: HostPolicy
  limits: OwnerLimits
  inboxes: Inboxes
  launcher: Launcher
  /** Replaces the client that fetches public web pages. Only for tests. */
  fetchPage?: FetchPage | undefined
  /** Name of this process in the events and records it writes. */
  writer: string
  /** Set if agents are enabled. */
  agents?: AgentHost
  /** Aborts when the server stops. Streams then end, and their clients reconnect. */
  stopping: AbortSignal
  /** True if the server supports WebSockets. */
  sockets?: boolean
  /** Maximum time until a response begins. Set if a proxy in front of the server would otherwise time out. */
  firstByteWithinMs?: number
  /** Receives the caller of each authenticated request. */
  onCaller?: (principal: Principal) => void
  /** Receives errors that weren't expected. */
  report: (error: unknown) => void
  /** Set if this server serves the studio itself. */
  studio?: StudioFiles
  /** Set if this server has an origin for previews. */
  previews?: Previews
  /** Set if this server serves signed URLs itself. */
  verifySignedBlob?: (pathAndQuery: string) => SignedBlob
}
