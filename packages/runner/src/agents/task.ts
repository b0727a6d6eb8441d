import type { AgentAccount, AgentFolders, AgentTools } from "@switchyard/core/agents/clis/cli"
import type { CliId, Outcome } from "@switchyard/core/agents/clis/schema"
import type { AnsweredQuestion, ProjectNotes } from "@switchyard/core/agents/conversations/prompt"
import type { AgentInput, Summary } from "@switchyard/core/agents/conversations/schema"
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
   * Hides the files of the project because of which this program would start others, as long as they have no consent. They
   * come back when the result is disposed of.
   */
  admitProject: (cli: CliId, options: { signal: AbortSignal }) => Promise<Admission>
  /** The runner's own environment, of which an agent gets only a few variables. */
  host: Record<string, string | undefined>
  /** Folders to search for agents' programs, before the path. */
  programs: string[]
  /** Holds pipes and recordings; the agent has its own temporary folder in its home. */
  folder: string
  /** The user of the agent's programs, if not the runner's own. */
  user?: WorktreeUser | undefined
  /** Confines the agent's programs to some of the machine's files. */
  confinement?: Confinement
}

/** Admission of a program to its project, until it is disposed of. */
export interface Admission extends AsyncDisposable {
  /** Whether the program may start what the project's files name. */
  isTrusted: boolean
}

export interface Task extends AgentFolders {
  input: AgentInput
  /** The account's home, absolute. */
  home: string
  /** The git folder of its repository, if the project has one, as its sandbox has it. */
  git?: Mount[] | undefined
  account: AgentAccount
  /** Stands between the agent and its model, where there is one. */
  gateway?: Gateway
  /** The way to the hosts that it may reach, where those are listed. */
  network?: TaskNetwork | undefined
  /** Its tools to reach other agents, if it has any. */
  tools?: AgentTools
  notes: ProjectNotes
  /** Of its worktree, for its programs. */
  variables?: Record<string, string>
  /** Folders outside the worktree that its programs read. */
  needs?: string[]
  /** The agent's own session to resume, and whether there was a task in this project before. */
  resume: string | null
  followUp: boolean
  /** Whether this very task was started before, by a runner that is gone. */
  interrupted: boolean
  /** The answer for which it was parked, if it was. */
  answered?: AnsweredQuestion | undefined
  /** The faults that were found in the work on this task, in words for whoever mends them. */
  revision?: string | undefined
  /** The work of another agent on this task before it met a limit; absent for an agent that knows it from its own session. */
  handedOver?: string | undefined
}

export interface TaskEnd {
  outcome: Outcome
  summary: Summary | undefined
  nativeSession: string | null
  /** The reason for which it wasn't begun, where that isn't for its program's maker to say. */
  refused?: AppError
  /** The reason for which it was ended in the middle; undefined for a task that is over. */
  parked?: RunParked
}
