import { isRunning, type RunView } from "../../../session/stream/run.ts"

interface ComposerInput {
  run: RunView | null
  draft: string
  starting: boolean
  readOnly: boolean
}

export interface ComposerState {
  button: "run" | "starting" | "stop" | "stopping"
  /** True if a run can't be started now. */
  blocked: boolean
}

export function composerState({ run, draft, starting, readOnly }: ComposerInput): ComposerState {
  // A parked run waits for an answer or a reset, and can be stopped.
  const running = isRunning(run) || run?.status === "parked"
  return {
    button: running ? (run?.cancelRequested ? "stopping" : "stop") : starting ? "starting" : "run",
    blocked: running || starting || readOnly || draft.trim() === "",
  }
}
