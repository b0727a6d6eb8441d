import type { AppError } from "../../errors.ts"
import type { LogEvent, NewEvent } from "../../events.ts"
import type { Change, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { Verdict } from "../gate/schema.ts"
import type { RunWriter } from "./run-writer.ts"
import type { WaitsFor } from "./schema.ts"

/** The most that a call of a model may use, in tokens. */
export interface CallSize {
  /** As the log names it: `provider/model`. */
  model: string
  input: number
  output: number
}

/** The context of a run's work. Everything that it appends is fenced by the run's claim. */
export interface RunContext<Input> extends RunWriter {
  readonly sid: string
  readonly runId: string
  readonly model: string
  readonly input: Input
  /** Aborts when the run is cancelled, taken over, or its executor must stop. */
  readonly signal: AbortSignal
  /** The last known state of the session. */
  state(): SessionState
  /** The current state of the session. */
  catchUp(): Promise<SessionState>
  /** The key that the caller sent with the run, if any. */
  readonly apiKey: string | undefined
  /** All events of the run so far, of earlier executors too; or of another run of the session that has ended. */
  history(of?: { runId: string; firstSeq: number }): AsyncGenerator<LogEvent>
  /**
   * Appends the events of an agent. Unlike `write`, it still appends the end of a turn when the run was cancelled or the
   * executor must stop.
   */
  record(events: NewEvent[]): Promise<void>
  /**
   * Appends what a rule decides on the session as it is then, and wakes the runs that wait for it. Resolves to the events as
   * stored; throws its refusal.
   */
  decide(rule: Rule): Promise<LogEvent[]>
  /** The rule, refused once the run isn't this executor's any more, for what is decided elsewhere. */
  fenced(rule: Rule): Rule
  /** Commits a new version of the files, and finishes a step with it: both or neither. */
  commit(changes: Change[], step: string, options?: StepOptions): Promise<void>
  /**
   * Runs a task with time limits of its own, such as a model call. Other work that is silent for minutes counts as hanging,
   * and the run is taken over.
   */
  awaitExternal<T>(task: () => Promise<T>): Promise<T>
  /** Call before a model is: throws `RunParked` where a budget is used up, and `budget_reached` for a turn of a chat. */
  requireBudget(): Promise<void>
  /**
   * Reserves room for one call of a model, and throws as `requireBudget` does. If calls under way take all the room, it waits for
   * them. Resolves to the release, to be called once the usage is in the log.
   */
  reserveBudget(size: () => CallSize): Promise<() => Promise<void>>
  /** Adds to the warning with which the run completes. */
  warn(text: string): void
  /** Sets what running the project showed, which the end of the run tells. The last one counts. */
  conclude(verdict: Verdict): void
  /** Call between two steps: throws `RunHandOver` when there is no time left for another. */
  beforeStep(): void
}

export interface StepOptions {
  /** The version on which the changes are based: `workspace_conflict` where one of their files has changed since. */
  base?: WorkspaceVersion
  /** Events that belong to the step: appended in the batch of its commit. */
  events?: NewEvent[]
  /** The reason for which the step can't be finished any more, in the state in which it would be. It is thrown. */
  refusal?(state: SessionState): AppError | undefined
}

/** The work of one kind of run. It ends well by returning; what it throws fails the run. */
export type RunWork<Input> = (context: RunContext<Input>) => Promise<void>

/** Not a failure: the run waits for something, without an executor. To be thrown between two steps. */
export class RunParked extends Error {
  readonly waitsFor: WaitsFor | null

  /** `reason` is for people. Without `waitsFor`, the run must be resumed by a request. */
  constructor(reason: string, waitsFor: WaitsFor | null = null) {
    super(reason)
    this.name = "RunParked"
    this.waitsFor = waitsFor
  }
}

/** Not a failure: the executor has too little time left, and a successor continues. */
export class RunHandOver extends Error {
  constructor() {
    super("The executor has no time left for another step.")
    this.name = "RunHandOver"
  }
}
