import { settle } from "@switchyard/core/errors"
import type { Principal } from "@switchyard/core/people/access/schema"
import type { Clock } from "@switchyard/core/time"
import type { Access } from "../access.ts"

/** Maximum time that a stream or socket stays open after its caller's token or login has become invalid. */
const CHECK_EVERY_MS = 10_000

export interface AuthorizationDeps {
  access: Pick<Access, "isAuthorized">
  clock: Clock
  report: (error: unknown) => void
}

/**
 * Returns a signal that aborts with `signal`, or when the caller is no longer authorized. If the store doesn't respond,
 * the caller stays authorized until the next check.
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
