import { settle } from "@switchyard/core/errors"
import type { Principal } from "@switchyard/core/people/access/schema"
import type { Clock } from "@switchyard/core/time"
import type { Access } from "../access.ts"

/** The time for which a stream or a socket may outlive its caller's token or login. */
const CHECK_EVERY_MS = 10_000

export interface AuthorizationDeps {
  access: Pick<Access, "isAuthorized">
  clock: Clock
  report: (error: unknown) => void
}

/**
 * A signal that aborts once the caller isn't authorized any more, or with `signal`. A store that can't answer changes nothing:
 * the next check may find out.
 */
export function whileAuthorized(
  { access, clock, report }: AuthorizationDeps,
  principal: Principal,
  { signal }: { signal: AbortSignal },
): AbortSignal {
  const ended = new AbortController()
  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(CHECK_EVERY_MS, { signal }).catch(() => undefined)
      let isAuthorized = true
      const { error } = await settle(async () => {
        isAuthorized = await access.isAuthorized(principal, { signal })
      })
      if (error !== undefined && !signal.aborted) report(error)
      if (!isAuthorized) return ended.abort(new Error("The caller is no longer authorized."))
    }
  }
  void watch()
  return AbortSignal.any([signal, ended.signal])
}
