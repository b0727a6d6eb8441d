import type { AgentAccount, AgentFolders, AgentTools, AnyCli } from "@switchyard/core/agents/clis/cli"
import type { Outcome } from "@switchyard/core/agents/clis/schema"
import type { AnsweredQuestion, ProjectNotes } from "@switchyard/core/agents/conversations/prompt"
import type { AgentInput, Summary } from "@switchyard/core/agents/conversations/schema"
import type { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import type { AppError } from "@switchyard/core/errors"
import type { RunParked } from "@switchyard/core/work/runs/run-context"
import type { Gateway } from "../gateway/gateway.ts"
import type { TaskNetwork } from "../network/task-network.ts"
import type { ResolveDeps } from "../programs/resolve-program.ts"
import type { HomeFile } from "../sandbox/agent-home.ts"
import type { Mount } from "../sandbox/confined-place.ts"
import type { Confinement } from "../sandbox/confinement.ts"
import type { WorktreeUser } from "../sandbox/sandbox.ts"
import type { TurnDeps } from "./turn.ts"

export interface TaskDeps extends TurnDeps, ResolveDeps {
  /**
   * Hides files that could make the CLI start programs, unless the CLI is trusted to start them. Disposing of the
   * returned object restores the files.
   */
  admitProject: (cli: AnyCli, options: { mode: PermissionMode; signal: AbortSignal }) => Promise<Admission>
  /** Environment of the runner. Agents receive only a few of its variables. */
  host: Record<string, string | undefined>
  /** Folders to search for agent CLIs before `PATH`. */
  programs: string[]
  /** Folder for pipes and recordings. Agents themselves use a temporary folder in their home instead. */
  folder: string
  /** User that runs the agent's programs, if different from the runner's user. */
  user?: WorktreeUser | undefined
  /** Restricts the agent's programs to some of the machine's files. */
  confinement?: Confinement
}

/** Permission for a CLI to run in a project. It is valid until disposed. */
export interface Admission extends AsyncDisposable {
  /** True if the CLI may start programs that the project's files name. */
  isTrusted: boolean
}

export interface Task extends AgentFolders {
  input: AgentInput
  /** Absolute path of the home for the account. */
  home: string
  /** Git folder of the repository, as mounted in the sandbox. Undefined if there is no sandbox. */
  git?: Mount[] | undefined
  account: AgentAccount
  /** Gateway between the agent and its model. Undefined if the agent calls the model directly. */
  gateway?: Gateway
  /** Network that leads only to allowed hosts. Undefined if there is no list of allowed hosts. */
  network?: TaskNetwork | undefined
  /** Tools for reaching other agents. */
  tools?: AgentTools
  /** The owner's own setup for the program. */
  setup?: HomeFile[]
  notes: ProjectNotes
  /** Environment variables of the task's worktree. */
  variables?: Record<string, string>
  /** Folders of the project's tools, which precede the machine's own on the search path. */
  toolPath?: string[] | undefined
  /** Folders outside the worktree that the task's programs must be able to read. */
  needs?: string[]
  /**
   * Agent session to resume. Null to start a new session. `followUp` is true if there was an earlier task in the
   * project.
   */
  resume: string | null
  followUp: boolean
  /** True if an earlier runner started this task and then died. */
  interrupted: boolean
  /** Answer to the question that parked the task. */
  answered?: AnsweredQuestion | undefined
  /** Instructions for fixing problems that were found in this task's work. */
  revision?: string | undefined
  /** Summary of earlier work that the resumed or new session doesn't contain. */
  earlierWork?: string | undefined
  /** Summarizes all of the agent's work, for a program whose session no longer exists. */
  recall?: () => Promise<string | undefined>
  /**
   * Summary of what another agent did for this task before it reached a limit. Undefined if the agent's session
   * contains that work.
   */
  handedOver?: string | undefined
}

export interface TaskEnd {
  outcome: Outcome
  summary: Summary | undefined
  nativeSession: string | null
  /** Switchyard's own error that prevented the start. Undefined if the task's program itself failed. */
  refused?: AppError
  /** Reason why the task parked. Undefined if the task is over. */
  parked?: RunParked
}

/** Outcome of a turn after which the agent considers its task done. */
export type Done = Extract<Outcome, { type: "completed" | "needs_continuation" }>

export function isDone(outcome: Outcome): outcome is Done {
  return outcome.type === "completed" || outcome.type === "needs_continuation"
}
