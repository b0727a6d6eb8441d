import type { ChosenAgent } from "../../agents/tasks/new-task.ts"
import { AppError } from "../../errors.ts"

/** Throws `loginRefused` if the agent uses its own login. */
export function requireKey({ account, hasLogin }: Pick<ChosenAgent, "account" | "hasLogin">): void {
  if (hasLogin) throw loginRefused(account)
}

/**
 * Creates the error for a run that someone other than the owner starts with an account that uses its agent's own login.
 * Such logins are personal, and the vendors don't allow others to use them.
 */
export function loginRefused(account: string | null): AppError {
  const why = `The account ${account} uses the agent's own login, which only its owner may use.`
  const message = `${why} Runs started by a git hook or webhook require an account with an API key.`
  return new AppError("task_invalid", message, { coding_agent: account })
}
