import { isRunning, type RunView } from "../../../session/stream/view.ts"

/** The prompt in the field: the text being typed, or else that of the newest run. */
export function draftOf(typed: string | null, run: RunView | null): string {
  return typed ?? run?.prompt ?? ""
}

/** The draft to store; null where the text is the run's own prompt again. */
export function draftToStore(text: string, run: RunView | null): string | null {
  return text === draftOf(null, run) ? null : text
}

/** Whether the draft differs from the prompt of the run that is shown, which hides its graph and log. */
export function isCleared(draft: string, run: RunView | null, replaying: boolean): boolean {
  return run !== null && !isRunning(run) && !replaying && draft.trim() !== run.prompt.trim()
}

export interface PromptInput {
  run: RunView | null
  draft: string
  cleared: boolean
  starting: boolean
  readOnly: boolean
  /** Whether the run has a plan, so that another one can go on with it. */
  planned: boolean
  /** The error of the last action, if it failed. */
  failure: string | null
}

export interface PromptState {
  button: "run" | "starting" | "stop" | "stopping"
  editable: boolean
  /** Whether a run can't be started now. */
  blocked: boolean
  notice: { type: "cleared" } | { type: "run_failed"; message: string; hint: string | null; resumable: boolean } | null
  failure: string | null
}

export function promptState({ run, draft, cleared, starting, readOnly, planned, failure }: PromptInput): PromptState {
  const running = isRunning(run)
  return {
    button: running ? (run?.cancelRequested ? "stopping" : "stop") : starting ? "starting" : "run",
    editable: !running && !readOnly,
    blocked: running || starting || readOnly || draft.trim() === "",
    notice: cleared ? { type: "cleared" } : failure === null ? runFailure(run, planned) : null,
    failure,
  }
}

/** The error of a run, with its hint unless the message already includes it. */
function runFailure(run: RunView | null, resumable: boolean): PromptState["notice"] {
  if (!run?.error) return null
  const { message, hint } = run.error
  return { type: "run_failed", message, hint: message.includes(hint) ? null : hint, resumable }
}
