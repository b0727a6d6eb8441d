import type { FromRunner, ToRunner } from "@switchyard/core/agents/runner/messages"
import type { Wakeups } from "@switchyard/core/log/notifier"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"

/** A run that is launched here, and the account that it works on. */
export type RunMessage = Extract<ToRunner, { type: "run" }>

/** What a runner is told of where it runs: beside the server, or in a container far from it. */
export interface RunnerHost {
  sid: string
  /** Its name, in the log and in leases. */
  executor: string
  /** Absolute: homes, repositories, and what it keeps for itself. */
  dataFolder: string
  /** Whether people's own repositories on this machine may be worked in. */
  local: boolean
  idleMs: number
  /** How long work may be nowhere but on this machine, where that isn't as long as usual. */
  saveEveryMs?: number
  verboseErrors: boolean
  /** Folders in which agents' programs may be, before those of the path. */
  programs: string[]
  records: Records
  blobs: Blobs
  wakeups: Wakeups
  launches: AsyncIterable<RunMessage>
  tell(message: FromRunner): void
  close(): void
}
