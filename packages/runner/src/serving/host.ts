import type { LeftLogin, LoginAnswer, LoginRequest } from "@switchyard/core/agents/runner/login-schema"
import type { FromRunner, ToRunner } from "@switchyard/core/agents/runner/messages"
import type { HostPolicy } from "@switchyard/core/host-policy"
import type { Wakeups } from "@switchyard/core/log/notifier"
import type { OwnerBudget } from "@switchyard/core/people/budget/owner-budget"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"

/** A run to launch, with its account. */
export type RunMessage = Extract<ToRunner, { type: "run" }>

/** Asks the server about a log-in. Throws where it doesn't answer. */
export type AskLogins = (request: LoginRequest, options: { signal: AbortSignal }) => Promise<LoginAnswer>

/** The surroundings of a runner: beside the server, or in a container. */
export interface RunnerHost {
  sid: string
  /** The key to what is sealed for this session's runners. */
  key?: Uint8Array
  /** The runner's name in the log and in leases. */
  executor: string
  /** Holds homes, repositories and the runner's own records; absolute. */
  dataFolder: string
  /** Whether agents may work in people's repositories on this machine. */
  local: boolean
  /** The hosts at which repositories and models' APIs may be reached. */
  hosts: HostPolicy
  /** Whether it runs in a container that has nothing but this runner and its agents. */
  isContainer: boolean
  idleMs: number
  /** The time without an answer after which an agent is stopped, if not the usual one. */
  parkAfterMs?: number | undefined
  /** Retention of the session; 30 days by default. */
  retentionMs?: number | undefined
  /** Interval of the autosave, if not the usual one. */
  saveEveryMs?: number
  /** Limit of a git command, if not the usual one. */
  gitWithinMs?: number
  verboseErrors: boolean
  /** Folders to search for agents' programs, before the path. */
  programs: string[]
  records: Records
  /** Of the owners of the session's runs, whose records need not be among those of this host. */
  ownerBudget: OwnerBudget
  blobs: Blobs
  wakeups: Wakeups
  launches(options: { signal: AbortSignal }): AsyncIterable<RunMessage>
  /** Whether the machine may be suspended once the runner has parked, and resumed when the session needs it again. */
  standby?: boolean
  /** Aborts when another session waits for this runner's place; absent where runners have no places. */
  yielding?: AbortSignal
  /** The log-ins that earlier runners of the session left in homes that are still there. */
  leftLogins: LeftLogin[]
  /** Asks for the log-ins of accounts. */
  logins: AskLogins
  send(message: FromRunner): void
  close(): void
}
