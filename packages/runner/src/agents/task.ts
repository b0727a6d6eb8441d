import type { AgentAccount, AgentFolders, AgentTools } from "@switchyard/core/agents/clis/cli"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import type { Outcome } from "@switchyard/core/agents/clis/schema"
import type { AnsweredQuestion, ProjectNotes } from "@switchyard/core/agents/conversations/prompt"
import type { AgentInput, Summary } from "@switchyard/core/agents/conversations/schema"
import type { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import type { AppError } from "@switchyard/core/errors"
import type { RunParked } from "@switchyard/core/work/runs/run-context"
import type { Gateway } from "../gateway/gateway.ts"
import type { TaskNetwork } from "../network/task-network.ts"
import type { ResolveDeps } from "../programs/resolve-program.ts"
import type { Mount } from "../sandbox/confined-place.ts"
import type { Confinement } from "../sandbox/confinement.ts"
import type { WorktreeUser } from "../sandbox/sandbox.ts"
import type { TurnDeps } from "./turn.ts"

export interface TaskDeps extends TurnDeps, ResolveDeps {
  /**
   * Hides files that could make the CLI start programs, unless the CLI is trusted to start them. Disposing of the
   * result restores the files.
   */
  admitProject: (cli: CliId, options: { mode: PermissionMode; signal: AbortSignal }) => Promise<Admission>
  /** The runner's environment. Agents receive only a few of its variables. */
  host: Record<string, string | undefined>
  /** Folders to search for agent CLIs before `PATH`. */
  programs: string[]
  /** Folder for pipes and recordings. Agents use a temporary folder in their home instead. */
  folder: string
  /** User that runs the agent's programs, if different from the runner's user. */
  user?: WorktreeUser | undefined
  /** Restricts the agent's programs to some of the machine's files. */
  confinement?: Confinement
}

/** Permission for a CLI to run in a project. Valid until disposed. */
export interface Admission extends AsyncDisposable {
  /** True if the CLI may start programs named in the project's files. */
  isTrusted: boolean
}

export interface Task extends AgentFolders {
  input: AgentInput
  /** Absolute path of the account's home. */
  home: string
  /** The repository's git folder as mounted in the sandbox, if the project has one. */
  git?: Mount[] | undefined
  account: AgentAccount
  /** Gateway between the agent and its model, if there is one. */
  gateway?: Gateway
  /** Network route to the allowed hosts, if there is an allowlist. */
  network?: TaskNetwork | undefined
  /** Tools for reaching other agents. */
  tools?: AgentTools
  notes: ProjectNotes
  /** Environment variables of the task's worktree. */
  variables?: Record<string, string>
  /** Folders outside the worktree that the task's programs read. */
  needs?: string[]
  /** Agent session to resume. `followUp` is true if the project has had an earlier task. */
  resume: string | null
  followUp: boolean
  /** True if a previous runner started this task and then died. */
  interrupted: boolean
  /** Answer to the question that parked the task. */
  answered?: AnsweredQuestion | undefined
  /** Instructions for fixing problems found in this task's work. */
  revision?: string | undefined
  /** Summary of earlier work that isn't in the resumed or new session. */
  earlierWork?: string | undefined
  /** Summarizes all work of the agent, for a program whose session is gone. */
  recall?: () => Promise<string | undefined>
  /**
   * Summary of another agent's work on this task before it hit a limit. Absent if the agent's session contains that
   * work.
   */
  handedOver?: string | undefined
}

export interface TaskEnd {
  outcome: Outcome
  summary: Summary | undefined
  nativeSession: string | null
  /** Switchyard's own error, if that prevented the start; absent if the task's program failed. */
  refused?: AppError
  /** Reason for parking the task; undefined if it is over. */
  parked?: RunParked
}

/** Outcome of a turn after which the agent considers its task done. */
export type Done = Extract<Outcome, { type: "completed" | "needs_continuation" }>

export function isDone(outcome: Outcome): outcome is Done {
  return outcome.type === "completed" || outcome.type === "needs_continuation"
}
