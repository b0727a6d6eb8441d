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

/** Budgets that a run counts for: its own, its session's and its owner's. */
export interface RunBudget {
  /** True if there is a budget now. */
  isSet(): Promise<boolean>
  /** Returns why the run parks, if the log uses up a budget. A person is asked about the run's and the session's. */
  findReached(): Promise<RunParked | undefined>
}

export interface TurnDeps extends TerminalProgramDeps {
  append: (events: NewEvent[]) => Promise<void>
  attachments: AgentAttachments
  decisions: AgentDecisions
  /** Asked before each call of the model; absent if there is no limit. */
  budget?: RunBudget
  /** Ends the turn once enough of a limit is used. */
  limits?: LimitStop
  /** Stores bytes beside the session's log. */
  storeArtifact: (bytes: Uint8Array) => Promise<ArtifactRef>
  /** Longest silences: before the first sign of life, between two, and during a command. Then limits for the rest. */
  patience: { firstMs: number; idleMs: number; busyMs: number; leaveMs: number; answerMs: number }
}

/** Limit that ends a turn once it is reached. */
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
  /** Holds pipes and recordings while the turn lasts. */
  folder: string
  rows: number
  cols: number
  attempt: number
  /** Gateway between the agent and its model, if there is one. */
  gateway?: Gateway
  user?: ProgramUser
  /** Reads files of the worktree as the agent does. */
  files: Files
  /** Resolves links. Paths inside the worktree become relative to it. */
  resolvePaths: (paths: string[]) => Promise<string[]>
}

export interface EndOfTurn extends TurnEnd {
  /** Reason why the turn was ended in the middle: an unanswered question or a used-up budget. */
  parked: RunParked | undefined
}
