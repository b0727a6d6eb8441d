import type { ChosenAgent } from "../../agents/tasks/new-task.ts"
import { AppError } from "../../errors.ts"

/** Throws `loginRefused` for an agent that works with its own log-in. */
export function requireKey({ account, hasLogin }: Pick<ChosenAgent, "account" | "hasLogin">): void {
  if (hasLogin) throw loginRefused(account)
}

/**
 * The refusal of an account with its agent's own log-in for a run that others than its owner set off: the log-in is a person's, and
 * the makers of agents don't allow that.
 */
export function loginRefused(account: string | null): AppError {
  const why = `The account ${account} works with its agent's own log-in, which is for its owner's use alone.`
  const message = `${why} Runs that a git hook or a webhook starts take an account with an API key.`
  return new AppError("task_invalid", message, { coding_agent: account })
}
