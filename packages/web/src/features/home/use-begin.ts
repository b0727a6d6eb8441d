import { useLocation } from "wouter"
import { useSessionsChanged } from "../../session/list/use-sessions.ts"
import { useAttempt } from "../../ui/use-attempt.ts"
import type { useDraft } from "./use-draft.ts"

/**
 * Begins what a draft asks for, and goes to where it can be seen: `begin` resolves to that path. The draft is forgotten once
 * it has begun; until then, `failure` is the reason why it hasn't, which `forgive` forgets.
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
