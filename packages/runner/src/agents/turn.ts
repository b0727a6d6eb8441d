import type { AgentFolders, LaunchPlan } from "@switchyard/core/agents/clis/cli"
import type { CliId, Problem } from "@switchyard/core/agents/clis/schema"
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

/** The budgets that a run counts for: its own, its session's and its owner's. */
export interface RunBudget {
  /** Whether there is one at this moment. */
  isSet(): Promise<boolean>
  /** Resolves to the reason for which the run parks where one is used up by what is in the log. About the first two a person is asked. */
  findReached(): Promise<RunParked | undefined>
}

export interface TurnDeps extends TerminalProgramDeps {
  append: (events: NewEvent[]) => Promise<void>
  attachments: AgentAttachments
  decisions: AgentDecisions
  /** Asked before each call of the model; absent where nobody limits it. */
  budget?: RunBudget
  /** Ends the turn as soon as enough of a limit is used; absent where nobody looks at that. */
  limits?: LimitStop
  /** Stores bytes beside the session's log. */
  storeArtifact: (bytes: Uint8Array) => Promise<ArtifactRef>
  /** The longest silences: before the first sign of life, between two, and while a command runs; and the time for other things. */
  patience: { firstMs: number; idleMs: number; busyMs: number; leaveMs: number; answerMs: number }
}

/** The limit at which a turn is to end, once it is reached. */
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
  /** Stands between the agent and its model, where there is one. */
  gateway?: Gateway
  user?: ProgramUser
  /** Reads files of the worktree as the agent does. */
  files: Files
  /** The paths without links, relative to the worktree where they are inside. */
  resolvePaths: (paths: string[]) => Promise<string[]>
}

export interface EndOfTurn extends TurnEnd {
  /** The reason for which it was ended in the middle: a question that nobody answered, or a budget that is used up. */
  parked: RunParked | undefined
}
