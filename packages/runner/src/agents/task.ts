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
  /** Hides files that may not make this program start others in this mode. Disposal of the result restores them. */
  admitProject: (cli: CliId, options: { mode: PermissionMode; signal: AbortSignal }) => Promise<Admission>
  /** Environment of the runner. Agents receive only a few of its variables. */
  host: Record<string, string | undefined>
  /** Folders to search for agents' programs before `PATH`. */
  programs: string[]
  /** Holds pipes and recordings. The agent's own temporary folder is in its home. */
  folder: string
  /** User of the agent's programs, if not the runner's own. */
  user?: WorktreeUser | undefined
  /** Confines the agent's programs to some of the machine's files. */
  confinement?: Confinement
}

/** Admission of a program to its project, until it is disposed of. */
export interface Admission extends AsyncDisposable {
  /** True if the program may start programs that the project's files name. */
  isTrusted: boolean
}

export interface Task extends AgentFolders {
  input: AgentInput
  /** Absolute path of the account's home. */
  home: string
  /** Git folder of the repository as the sandbox mounts it, if the project has one. */
  git?: Mount[] | undefined
  account: AgentAccount
  /** Gateway between the agent and its model, if there is one. */
  gateway?: Gateway
  /** Route to the hosts that the agent may reach, if those are listed. */
  network?: TaskNetwork | undefined
  /** Tools to reach other agents. */
  tools?: AgentTools
  notes: ProjectNotes
  /** Environment variables of its worktree. */
  variables?: Record<string, string>
  /** Folders outside the worktree that its programs read. */
  needs?: string[]
  /** Session of the agent to resume. `followUp`: the project had a task before. */
  resume: string | null
  followUp: boolean
  /** True if a runner that is gone started this task before. */
  interrupted: boolean
  /** Answer to the question that parked the task. */
  answered?: AnsweredQuestion | undefined
  /** Instructions to mend faults that were found in this task's work. */
  revision?: string | undefined
  /** Work of another agent on this task before it reached a limit. Absent if the agent's own session contains it. */
  handedOver?: string | undefined
}

export interface TaskEnd {
  outcome: Outcome
  summary: Summary | undefined
  nativeSession: string | null
  /** Error of the product that kept the task from starting; absent if its program failed. */
  refused?: AppError
  /** Reason why the task was ended in the middle; undefined if it is over. */
  parked?: RunParked
}
