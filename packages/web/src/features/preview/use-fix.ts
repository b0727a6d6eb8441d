import { useRunActions } from "../../session/actions/use-run-actions.ts"
import { isRunning } from "../../session/stream/run.ts"
import { useReadOnly, useSessionData } from "../../session/view/use-session.ts"

/** Asks the coder for a fix, as a run on the existing files. */
export function useFix() {
  const { start, starting, error } = useRunActions()
  const run = useSessionData(({ live }) => live.run)
  const readOnly = useReadOnly()
  // A command-line agent is asked in its own terminal instead.
  const asksCoder = run === null || run.agent === null
  return {
    start: asksCoder ? (prompt: string) => void start({ prompt }) : undefined,
    blocked: isRunning(run) || starting ? "Available when the run ends" : readOnly,
    error,
    /** True if the session has a next request that elements can be attached to. */
    takesElements: asksCoder && readOnly === null,
  }
}
