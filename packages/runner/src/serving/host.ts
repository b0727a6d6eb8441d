import type { LeftLogin, LoginAnswer, LoginRequest } from "@switchyard/core/agents/runner/login-schema"
import type { FromRunner, ToRunner } from "@switchyard/core/agents/runner/messages"
import type { SessionLogDeps } from "@switchyard/core/kernel/session-log"
import type { Wakeups } from "@switchyard/core/log/notifier"
import type { AwsAccess } from "@switchyard/core/models/aws-access"
import type { HostPolicy } from "@switchyard/core/network/host-policy"
import type { OwnerBudget } from "@switchyard/core/people/budget/owner-budget"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"
import type { ArchiveRun, Archives } from "../project/setup/archives.ts"

/** A run to launch, with its account. */
export type RunMessage = Extract<ToRunner, { type: "run" }>

/** Sends the server a request about a login. Throws if the server doesn't reply. */
export type AskLogins = (request: LoginRequest, options: { signal: AbortSignal }) => Promise<LoginAnswer>

/** Environment of a runner, which is either next to the server or in a container. */
export interface RunnerHost {
  sid: string
  /** Key that unseals secrets sealed for this session's runners. */
  key?: Uint8Array
  /** The runner's name, used in the log and in leases. */
  executor: string
  /** Absolute path of the folder for homes, repositories and the runner's own records. */
  dataFolder: string
  /** True if agents may work in people's own repositories on this machine. */
  local: boolean
  /** Allowed hosts for repositories and model APIs. */
  hosts: HostPolicy
  /** True in a container used only by this runner and its agents. */
  isContainer: boolean
  idleMs: number
  /** Maximum time that an agent waits for an answer before its run parks. Undefined for the default. */
  parkAfterMs?: number | undefined
  /** Retention of the session; 30 days by default. */
  retentionMs?: number | undefined
  /** Interval between automatic saves. Undefined for the default. */
  saveEveryMs?: number
  /** Time limit of git commands. Undefined for the default. */
  gitWithinMs?: number
  verboseErrors: boolean
  /** Folders to search for agent CLIs before `PATH`. */
  programs: string[]
  records: Records
  /** Budgets of the owners of the session's runs. Their records may be stored on another host. */
  ownerBudget: OwnerBudget
  blobs: Blobs
  wakeups: Wakeups
  launches(options: { signal: AbortSignal }): AsyncIterable<RunMessage>
  /** True if the machine may be suspended while the runner is parked, and resumed when the session needs it. */
  standby?: boolean
  /** Aborts if another session is waiting for this runner's slot. Undefined on hosts without slots. */
  yielding?: AbortSignal
  /** Logins that earlier runners of the session left in homes that still exist. */
  leftLogins: LeftLogin[]
  logins: AskLogins
  /** Returns the archives that a run's owner can use. Undefined if this machine's own caches outlive its sessions. */
  archives?: ((run: ArchiveRun) => Archives) | undefined
  /** Returns the session's AWS credentials. Only on hosts in AWS. */
  awsCredentials?: AwsAccess["credentials"] | undefined
  /** Receives each batch of events that the runner appends, and the state after it. */
  onAppended?: SessionLogDeps["onAppended"]
  send(message: FromRunner): void
  close(): void
}
