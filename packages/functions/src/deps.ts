import type { Consents } from "@switchyard/core/agents/conversations/consents"
import type { Inboxes } from "@switchyard/core/agents/runner/inboxes"
import type { Archives } from "@switchyard/core/files/archives/archive-job"
import type { NewId } from "@switchyard/core/ids"
import type { SessionFold } from "@switchyard/core/kernel/fold"
import type { Log } from "@switchyard/core/log/log"
import type { Accounts } from "@switchyard/core/people/accounts/accounts"
import type { AgentAccounts } from "@switchyard/core/people/accounts/agents"
import type { Settings } from "@switchyard/core/people/settings/settings"
import type { AgentHost } from "@switchyard/core/sessions/agent-request"
import type { Sessions } from "@switchyard/core/sessions/sessions"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"
import type { SignedBlob } from "@switchyard/core/storage/signed-blobs"
import type { Clock } from "@switchyard/core/time"
import type { Launcher } from "@switchyard/core/work/runs/launcher"
import type { Runs } from "@switchyard/core/work/runs/runs"
import type { Access } from "./access.ts"
import type { Config } from "./config.ts"
import type { StudioFiles } from "./http/studio.ts"

/** The dependencies of the HTTP surface, made once by its composition root. */
export interface AppDeps {
  config: Config
  version: string
  /** Names a session for who asks for a new one. */
  newSessionId: () => string
  clock: Clock
  newId: NewId
  fold: SessionFold
  records: Records
  blobs: Blobs
  log: Log
  sessions: Sessions
  settings: Settings
  accounts: Accounts
  runs: Runs
  archives: Archives
  access: Access
  agentAccounts: AgentAccounts
  consents: Consents
  inboxes: Inboxes
  launcher: Launcher
  /** Stands in what this process writes. */
  writer: string
  /** Present where agents can be put to work. */
  agents?: AgentHost
  /** Aborts when the server stops: streams end then, and their readers come back. */
  stopping: AbortSignal
  /** Present where an answer that doesn't begin in time is given up by what stands before us. */
  beginWithinMs?: number
  /** Called with failures that nobody expected. */
  report: (error: unknown) => void
  /** Present where this server itself gives out the studio. */
  studio?: StudioFiles
  /** Present where this server itself honours the signed URLs. */
  verifySignedBlob?: (pathAndQuery: string) => SignedBlob
}
