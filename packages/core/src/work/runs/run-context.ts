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
  /** Written like in the log: `provider/model`. */
  model: string
  input: number
  output: number
}

/** Context of a run's work. The run's claim fences everything it appends. */
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
  /** Key that the caller sent with the run, if any. */
  readonly apiKey: string | undefined
  /** All events of the run so far, including those of earlier executors; or of another, ended run of the session. */
  history(of?: { runId: string; firstSeq: number }): AsyncGenerator<LogEvent>
  /**
   * Appends the events of an agent. Unlike `write`, it still appends the end of a turn after the run was cancelled or
   * the executor must stop.
   */
  record(events: NewEvent[]): Promise<void>
  /**
   * Appends what a rule decides on the session's current state, and wakes the runs that wait for it. Returns the stored
   * events. Throws the rule's refusal.
   */
  decide(rule: Rule): Promise<LogEvent[]>
  /** Wraps a rule that is decided elsewhere. Refuses once the run no longer belongs to this executor. */
  fenced(rule: Rule): Rule
  /** Commits a new version of the files and finishes a step with it, atomically. */
  commit(changes: Change[], step: string, options?: StepOptions): Promise<void>
  /**
   * Runs a task with its own time limits, such as a model call. Other work that is silent for minutes counts as hung,
   * and another executor takes over the run.
   */
  awaitExternal<T>(task: () => Promise<T>): Promise<T>
  /**
   * Must be called before each model call. Throws `RunParked` if a budget is used up, or `budget_reached` for a chat
   * turn.
   */
  requireBudget(): Promise<void>
  /**
   * Reserves room for one model call, and throws like `requireBudget`. Waits if calls in progress take all the room.
   * Returns the release, to call once the usage is in the log.
   */
  reserveBudget(size: () => CallSize): Promise<() => Promise<void>>
  /** Adds to the warning of the completed run. */
  warn(text: string): void
  /** Sets the verdict from running the project, which is stored with the end of the run. The last call wins. */
  conclude(verdict: Verdict): void
  /** Must be called between two steps. Throws `RunHandOver` if there is no time left for another. */
  beforeStep(): void
}

export interface StepOptions {
  /** Base version of the changes. `workspace_conflict` if one of their files has changed since. */
  base?: WorkspaceVersion
  /** Events of the step, appended in the batch of its commit. */
  events?: NewEvent[]
  /** Returns an error if the step can no longer be finished in this state. The error is thrown. */
  refusal?(state: SessionState): AppError | undefined
}

/** Work of one kind of run. If it returns, the run completes; if it throws, the run fails. */
export type RunWork<Input> = (context: RunContext<Input>) => Promise<void>

/**
 * Signals, without being a failure, that the run waits for something without an executor. Throw it only between two
 * steps.
 */
export class RunParked extends Error {
  readonly waitsFor: WaitsFor | null

  /** `reason` is for people. Without `waitsFor`, only a request resumes the run. */
  constructor(reason: string, waitsFor: WaitsFor | null = null) {
    super(reason)
    this.name = "RunParked"
    this.waitsFor = waitsFor
  }
}

/** Signals, without being a failure, that the executor has too little time left and a successor continues. */
export class RunHandOver extends Error {
  constructor() {
    super("The executor has no time left for another step.")
    this.name = "RunHandOver"
  }
}
