import type { LogEvent, NewEvent } from "../../events.ts"
import type { Change } from "../../files/workspaces/manifest.ts"
import type { SessionState } from "../../state.ts"
import type { RunWriter } from "./run-writer.ts"
import type { WaitsFor } from "./schema.ts"

/** The view of a run that its work has. All that it adds to the session is fenced by the run's claim. */
export interface RunContext<Input> extends RunWriter {
  readonly sid: string
  readonly runId: string
  readonly model: string
  readonly input: Input
  /** Aborts when the run is cancelled, taken over, or its executor must stop. */
  readonly signal: AbortSignal
  /** The session as it was last seen. */
  state(): SessionState
  /** The session as it is now. */
  catchUp(): Promise<SessionState>
  /** The key that the caller sent with the run, if any. */
  readonly apiKey: string | undefined
  /** Everything that the run has said so far, earlier executors included. */
  history(): AsyncGenerator<LogEvent>
  /**
   * Appends what an agent says and does. Unlike `write`, it still takes how a turn ended when the run was cancelled or the
   * executor must stop.
   */
  record(events: NewEvent[]): Promise<void>
  /** Makes a new version of the files, and finishes a step with it: both or neither. */
  commit(changes: Change[], step: string): Promise<void>
  /**
   * Does what has time limits of its own, such as asking a model. Anything else that the work does in silence for minutes
   * counts as hanging, and the run is taken over.
   */
  outside<T>(task: () => Promise<T>): Promise<T>
  /** Has the run say so where it ends well: it did its work, and somebody should look at it. The last warning counts. */
  warn(text: string): void
  /** Call between two steps: throws `RunHandOver` when there is no time left for another. */
  beforeStep(): void
}

/** The work of one kind of run. It ends well by returning; what it throws fails the run. */
export type RunWork<Input> = (context: RunContext<Input>) => Promise<void>

/** Not a failure: the run waits for something, and nobody works on it until then. To be thrown between two steps. */
export class RunParked extends Error {
  readonly waitsFor: WaitsFor | null

  /** `reason` is for people. Without `waitsFor`, somebody has to resume the run. */
  constructor(reason: string, waitsFor: WaitsFor | null = null) {
    super(reason)
    this.name = "RunParked"
    this.waitsFor = waitsFor
  }
}

/** Not a failure: the executor has too little time left, and a successor goes on. */
export class RunHandOver extends Error {
  constructor() {
    super("The executor has no time left for another step.")
    this.name = "RunHandOver"
  }
}
