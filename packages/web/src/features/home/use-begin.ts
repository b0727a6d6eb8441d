import { useLocation } from "wouter"
import { useSessionsChanged } from "../../session/list/use-sessions.ts"
import { useAttempt } from "../../ui/use-attempt.ts"
import type { useDraft } from "./use-draft.ts"

/**
 * Returns `begin`, which starts what a draft asks for and goes to the path that `begin` resolves to. The draft is
 * cleared once it has started. Until then, `failure` is the reason why it hasn't; `forgive` clears it.
 */
export function useBegin<Given extends unknown[]>(
  draft: ReturnType<typeof useDraft>,
  begin: (...given: Given) => Promise<string>,
) {
  const [, go] = useLocation()
  const changed = useSessionsChanged()
  const { attempt, busy, error: failure, forgive } = useAttempt()
  const run = (...given: Given) =>
    attempt(async () => {
      const path = await begin(...given)
      draft.forget()
      changed()
      go(path)
    })
  return { run, busy, failure, forgive }
}
