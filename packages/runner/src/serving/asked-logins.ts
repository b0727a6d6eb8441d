import type { RunnerLoginRequest, RunnerTicket } from "@switchyard/core/agents/runner/credentials-schema"
import { LoginAnswer } from "@switchyard/core/agents/runner/login-schema"
import type { AskLogins } from "./host.ts"

interface Deps {
  /** Sends a login request to the function and returns the unvalidated reply. */
  ask: (request: RunnerLoginRequest) => Promise<unknown>
  executor: string
  ticket: () => RunnerTicket
}

/** Creates the login client for a runner that can only read its own session. */
export function createAskedLogins({ ask, executor, ticket }: Deps): AskLogins {
  return async (login, { signal }) => {
    const gaveUp = Promise.withResolvers<never>()
    const giveUp = () => gaveUp.reject(signal.reason)
    signal.addEventListener("abort", giveUp, { once: true })
    try {
      signal.throwIfAborted()
      return LoginAnswer.parse(await Promise.race([ask({ ticket: ticket(), executor, login }), gaveUp.promise]))
    } finally {
      signal.removeEventListener("abort", giveUp)
    }
  }
}
