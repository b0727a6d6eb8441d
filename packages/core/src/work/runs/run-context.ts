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
  /** Model as `provider/model`, as in the log. */
  model: string
  input: number
  output: number
}

/** Context of a run's work. All appends are fenced by the run's claim. */
export interface RunContext<Input> extends RunWriter {
  readonly sid: string
  readonly runId: string
  readonly model: string
  readonly input: Input
  /** Aborts when the run is cancelled or taken over, or when its executor must stop. */
  readonly signal: AbortSignal
  /** Returns the last known state of the session. */
  state(): SessionState
  /** Reads the log, and returns the session's current state. */
  catchUp(): Promise<SessionState>
  /** Model key that the caller sent with the run, if any. */
  readonly apiKey: string | undefined
  /**
   * Yields the run's events so far, including those of earlier executors. `of` selects another run, which must have
   * ended.
   */
  history(of?: { runId: string; firstSeq: number }): AsyncGenerator<LogEvent>
  /**
   * Appends an agent's events. Unlike `write`, it can still append the end of a turn after the run was cancelled or the
   * executor was asked to stop.
   */
  record(events: NewEvent[]): Promise<void>
  /**
   * Appends the events that a rule returns for the session's current state, and wakes the runs that wait for them.
   * Returns the stored events. Throws if the rule refuses.
   */
  decide(rule: Rule): Promise<LogEvent[]>
  /** Wraps a rule that is decided elsewhere. The wrapped rule refuses if the run no longer belongs to this executor. */
  fenced(rule: Rule): Rule
  /** Commits a new version of the files and finishes a step in one batch. */
  commit(changes: Change[], step: string, options?: StepOptions): Promise<void>
  /**
   * Runs a task that has its own time limits, such as a model call. Outside of such tasks, minutes without progress
   * count as hanging, and another executor takes over.
   */
  awaitExternal<T>(task: () => Promise<T>): Promise<T>
  /**
   * Must be called before each model call. Throws `RunParked` or, in chat turns, `budget_reached` if a budget is used
   * up.
   */
  requireBudget(): Promise<void>
  /**
   * Reserves budget for one model call. Throws the same errors as `requireBudget`. If calls in progress have reserved
   * the rest of the budget, waits for them. Returns a function that releases the reservation, to be called after the
   * usage is in the log.
   */
  reserveBudget(size: () => CallSize): Promise<() => Promise<void>>
  /** Adds a text to the warning that is stored when the run completes. */
  warn(text: string): void
  /** Sets the verdict that is stored with the run's end, as determined by running the project. The last call wins. */
  conclude(verdict: Verdict): void
  /** Must be called between two steps. Throws `RunHandOver` if there isn't enough time left for another step. */
  beforeStep(): void
}

export interface StepOptions {
  /**
   * Version on which the changes are based. The commit throws `workspace_conflict` if one of the changed files has
   * changed since that version.
   */
  base?: WorkspaceVersion
  /** Events to append in the same batch as the commit. */
  events?: NewEvent[]
  /** Returns the error to throw if the step can't be finished in this state. */
  refusal?(state: SessionState): AppError | undefined
}

/** Work of one kind of run. The run completes when this function returns, and fails if it throws. */
export type RunWork<Input> = (context: RunContext<Input>) => Promise<void>

/**
 * Signals that the run waits and needs no executor until it is woken. This isn't a failure. May only be thrown between
 * steps.
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

/** Signals that the executor has too little time left, so a successor must continue. This isn't a failure. */
export class RunHandOver extends Error {
  constructor() {
    super("The executor has no time left for another step.")
    this.name = "RunHandOver"
  }
}
