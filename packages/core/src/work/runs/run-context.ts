import type { AppError } from "../../errors.ts"
import type { LogEvent, NewEvent } from "../../events.ts"
import type { Change, WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import type { Rule } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { Verdict } from "../gate/schema.ts"
import type { RunWriter } from "./run-writer.ts"
import type { WaitsFor } from "./schema.ts"

/** Upper limit of a model call's usage, in tokens. */
export interface CallSize {
  /** `provider/model`, as in the log. */
  model: string
  input: number
  output: number
}

/** Context of a run's work. Everything it appends is fenced by the run's claim. */
export interface RunContext<Input> extends RunWriter {
  readonly sid: string
  readonly runId: string
  readonly model: string
  readonly input: Input
  /** Aborts when the run is cancelled or taken over, or its executor must stop. */
  readonly signal: AbortSignal
  /** Last known state of the session. */
  state(): SessionState
  /** Reads the log, then returns the current state of the session. */
  catchUp(): Promise<SessionState>
  /** Model key sent with the run by the caller, if any. */
  readonly apiKey: string | undefined
  /** Yields the run's events so far, including those of earlier executors. `of` selects another, ended run instead. */
  history(of?: { runId: string; firstSeq: number }): AsyncGenerator<LogEvent>
  /**
   * Appends an agent's events. Unlike `write`, still appends the end of a turn after the run was cancelled or the
   * executor was told to stop.
   */
  record(events: NewEvent[]): Promise<void>
  /**
   * Appends what a rule decides for the session's current state, and wakes the runs waiting for those events. Returns
   * the stored events. Throws if the rule refuses.
   */
  decide(rule: Rule): Promise<LogEvent[]>
  /** Wraps a rule that is decided elsewhere, so that it refuses once the run no longer belongs to this executor. */
  fenced(rule: Rule): Rule
  /** Commits a new version of the files and finishes a step, atomically. */
  commit(changes: Change[], step: string, options?: StepOptions): Promise<void>
  /**
   * Runs a task that has its own time limits, such as a model call. Any other work that makes no progress for minutes
   * counts as hung, so another executor takes over.
   */
  awaitExternal<T>(task: () => Promise<T>): Promise<T>
  /**
   * Must be called before each model call. Throws `RunParked` if a budget is used up (`budget_reached` in chat turns).
   */
  requireBudget(): Promise<void>
  /**
   * Reserves budget for one model call, and throws like `requireBudget`. Waits while calls in flight have reserved all
   * of the remaining budget. Returns a function that releases the reservation. Call it once the usage is in the log.
   */
  reserveBudget(size: () => CallSize): Promise<() => Promise<void>>
  /** Adds to the warning of the completed run. */
  warn(text: string): void
  /** Sets the verdict from running the project, to store with the end of the run. The last call wins. */
  conclude(verdict: Verdict): void
  /** Must be called between two steps. Throws `RunHandOver` if there's no time left for another step. */
  beforeStep(): void
}

export interface StepOptions {
  /** Base version of the changes. The commit throws `workspace_conflict` if a file it changes has changed since. */
  base?: WorkspaceVersion
  /** Events to append in the same batch as the commit. */
  events?: NewEvent[]
  /** Returns the error to throw if the step can no longer be finished in this state. */
  refusal?(state: SessionState): AppError | undefined
}

/** The work of one kind of run. The run completes when it returns and fails if it throws. */
export type RunWork<Input> = (context: RunContext<Input>) => Promise<void>

/**
 * Not a failure: signals that the run is waiting for something and doesn't need an executor in the meantime. Throw only
 * between steps.
 */
export class RunParked extends Error {
  readonly waitsFor: WaitsFor | null

  /** `reason` is shown to people. Without `waitsFor`, only a request resumes the run. */
  constructor(reason: string, waitsFor: WaitsFor | null = null) {
    super(reason)
    this.name = "RunParked"
    this.waitsFor = waitsFor
  }
}

/** Not a failure: signals that the executor has too little time left, so a successor must continue. */
export class RunHandOver extends Error {
  constructor() {
    super("The executor has no time left for another step.")
    this.name = "RunHandOver"
  }
}
