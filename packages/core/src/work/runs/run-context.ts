import type { AppError } from "../../errors.ts"
import type { LogEvent, NewEvent } from "../../events.ts"
import type { Change, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { Verdict } from "../gate/schema.ts"
import type { RunWriter } from "./run-writer.ts"
import type { WaitsFor } from "./schema.ts"

/** Maximum usage of a model call, in tokens. */
export interface CallSize {
  /** `provider/model`, as in the log. */
  model: string
  input: number
  output: number
}

/** Context of a run's work. The run's claim fences everything that it appends. */
export interface RunContext<Input> extends RunWriter {
  readonly sid: string
  readonly runId: string
  readonly model: string
  readonly input: Input
  /** Aborts when the run is cancelled or taken over, or its executor must stop. */
  readonly signal: AbortSignal
  /** Last known state of the session. */
  state(): SessionState
  /** Reads the log, and returns the session's current state. */
  catchUp(): Promise<SessionState>
  /** Model key sent with the run by the caller, if any. */
  readonly apiKey: string | undefined
  /**
   * Yields the run's events so far, including those of earlier executors. `of` selects another run, which must have
   * ended.
   */
  history(of?: { runId: string; firstSeq: number }): AsyncGenerator<LogEvent>
  /**
   * Appends an agent's events. Unlike `write`, it still appends the end of a turn after the run was cancelled or the
   * executor was asked to stop.
   */
  record(events: NewEvent[]): Promise<void>
  /**
   * Appends what a rule decides for the session's current state. Wakes the runs that wait for those events. Returns the
   * stored events. Throws if the rule refuses.
   */
  decide(rule: Rule): Promise<LogEvent[]>
  /**
   * Wraps a rule that is decided elsewhere. The wrapped rule refuses once the run no longer belongs to this executor.
   */
  fenced(rule: Rule): Rule
  /** Commits a new version of the files and finishes a step, atomically. */
  commit(changes: Change[], step: string, options?: StepOptions): Promise<void>
  /**
   * Runs a task that has its own time limits, such as a model call. Outside of such a task, minutes without progress
   * count as hanging, and another executor takes over.
   */
  awaitExternal<T>(task: () => Promise<T>): Promise<T>
  /** Call it before each model call. Throws `RunParked` if a budget is used up (`budget_reached` in chat turns). */
  requireBudget(): Promise<void>
  /**
   * Reserves budget for one model call, and throws like `requireBudget`. If calls in progress have reserved the rest of
   * the budget, waits for them. Returns a function that releases the reservation. Call it after the usage is in the
   * log.
   */
  reserveBudget(size: () => CallSize): Promise<() => Promise<void>>
  /** Adds a text to the warning that the run completes with. */
  warn(text: string): void
  /** Sets the verdict from running the project, which is stored with the end of the run. The last call wins. */
  conclude(verdict: Verdict): void
  /** Call it between two steps. Throws `RunHandOver` if there's no time left for another step. */
  beforeStep(): void
}

export interface StepOptions {
  /**
   * Version on which the changes are based. The commit throws `workspace_conflict` if any of its files has changed
   * since.
   */
  base?: WorkspaceVersion
  /** Events to append in the same batch as the commit. */
  events?: NewEvent[]
  /** Returns the error to throw if the step can't be finished in this state. */
  refusal?(state: SessionState): AppError | undefined
}

/** The work of one kind of run. The run completes when this function returns, and fails if it throws. */
export type RunWork<Input> = (context: RunContext<Input>) => Promise<void>

/**
 * Signals that the run waits for something and needs no executor until then. This is not a failure. Throw it only
 * between steps.
 */
export class RunParked extends Error {
  readonly waitsFor: WaitsFor | null

  /** People see `reason`. Without `waitsFor`, only a request resumes the run. */
  constructor(reason: string, waitsFor: WaitsFor | null = null) {
    super(reason)
    this.name = "RunParked"
    this.waitsFor = waitsFor
  }
}

/** Signals that the executor has too little time left, and a successor must continue. This is not a failure. */
export class RunHandOver extends Error {
  constructor() {
    super("The executor has no time left for another step.")
    this.name = "RunHandOver"
  }
}
