import type { LeftLogin, LoginAnswer, LoginRequest } from "@switchyard/core/agents/runner/login-schema"
import type { FromRunner, ToRunner } from "@switchyard/core/agents/runner/messages"
import type { Wakeups } from "@switchyard/core/log/notifier"
import type { HostPolicy } from "@switchyard/core/network/host-policy"
import type { OwnerBudget } from "@switchyard/core/people/budget/owner-budget"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"

/** A run to launch, with its account. */
export type RunMessage = Extract<ToRunner, { type: "run" }>

/** Asks the server about a log-in. Throws if the server doesn't answer. */
export type AskLogins = (request: LoginRequest, options: { signal: AbortSignal }) => Promise<LoginAnswer>

/** Environment of a runner: beside the server, or in a container. */
export interface RunnerHost {
  sid: string
  /** Decrypts secrets that are sealed for this session's runners. */
  key?: Uint8Array
  /** The runner's name in the log and in leases. */
  executor: string
  /** Absolute path of homes, repositories and the runner's own records. */
  dataFolder: string
  /** True if agents may work in people's repositories on this machine. */
  local: boolean
  /** Hosts of repositories and model APIs that may be reached. */
  hosts: HostPolicy
  /** True in a container that holds only this runner and its agents. */
  isContainer: boolean
  idleMs: number
  /** Time without an answer before an agent is stopped, if not the default. */
  parkAfterMs?: number | undefined
  /** Retention of the session. Default: 30 days. */
  retentionMs?: number | undefined
  /** Interval of the autosave, if not the default. */
  saveEveryMs?: number
  /** Limit of a git command, if not the default. */
  gitWithinMs?: number
  verboseErrors: boolean
  /** Folders to search for agents' programs before the path. */
  programs: string[]
  records: Records
  /** Budgets of the owners of the session's runs, whose records may be on another host. */
  ownerBudget: OwnerBudget
  blobs: Blobs
  wakeups: Wakeups
  launches(options: { signal: AbortSignal }): AsyncIterable<RunMessage>
  /** True if the machine may be suspended while the runner is parked, and resumed when the session needs it. */
  standby?: boolean
  /** Aborts if another session waits for this runner's place. Absent on hosts without places. */
  yielding?: AbortSignal
  /** Log-ins that earlier runners of the session left in homes that still exist. */
  leftLogins: LeftLogin[]
  logins: AskLogins
  send(message: FromRunner): void
  close(): void
}
