import type { AgentFolders, LaunchPlan } from "@switchyard/core/agents/clis/cli"
import type { CliId } from "@switchyard/core/agents/clis/clis"
import type { Problem } from "@switchyard/core/agents/clis/schema"
import type { NewEvent } from "@switchyard/core/events"
import type { ArtifactRef } from "@switchyard/core/kernel/artifact-schema"
import type { RunParked } from "@switchyard/core/work/runs/run-context"
import type { Files } from "../files/files.ts"
import type { Gateway } from "../gateway/gateway.ts"
import type { ProgramUser } from "../processes/agent-user.ts"
import type { Located } from "../programs/locate.ts"
import type { AgentAttachments } from "./attachments.ts"
import type { AgentDecisions } from "./decisions.ts"
import type { TerminalProgramDeps } from "./terminal-program.ts"
import type { TurnEnd } from "./turn-state.ts"

/** Budgets that apply to a run: the run's own, its session's and its owner's. */
export interface RunBudget {
  /** True if any budget is currently set. */
  isSet(): Promise<boolean>
  /**
   * Returns why the run must park if a budget is used up. Asks people whether to raise the run's or the session's
   * budget.
   */
  findReached(): Promise<RunParked | undefined>
}

export interface TurnDeps extends TerminalProgramDeps {
  append: (events: NewEvent[]) => Promise<void>
  attachments: AgentAttachments
  decisions: AgentDecisions
  /** Checked before each model call. Undefined if there is no limit. */
  budget?: RunBudget
  /** Limits that end the turn when their configured share is used up. */
  limits?: LimitStop
  /** Stores bytes outside the session log. */
  storeArtifact: (bytes: Uint8Array) => Promise<ArtifactRef>
  /**
   * Maximum time without output at the start, between outputs, and during a command. Also the time limits for exiting,
   * for an answer, and for retrying a failing model.
   */
  patience: { firstMs: number; idleMs: number; busyMs: number; leaveMs: number; answerMs: number; retryMs: number }
}

/** Limit that ends a turn when it is reached. */
export interface LimitStop {
  readonly reached: Problem | undefined
  onReached: ((problem: Problem) => void) | undefined
}

export interface TurnPlan extends AgentFolders {
  cli: CliId
  title: string
  model: string | null
  drive: LaunchPlan
  program: Located
  env: Record<string, string>
  /** Folder for pipes and recordings during the turn. */
  folder: string
  rows: number
  cols: number
  attempt: number
  /** Gateway between the agent and its model. Undefined if the agent calls the model directly. */
  gateway?: Gateway
  user?: ProgramUser
  /** Reads worktree files with the agent's permissions. */
  files: Files
  /** Resolves links. Returns paths relative to the worktree if they are inside it. */
  resolvePaths: (paths: string[]) => Promise<string[]>
}

export interface EndOfTurn extends TurnEnd {
  /** Why the turn was ended early: a question wasn't answered in time, or a budget was used up. */
  parked: RunParked | undefined
}
