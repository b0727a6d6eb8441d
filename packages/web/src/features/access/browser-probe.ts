import type { OfflineReason, ProbeDeps } from "./probe.ts"

/** The browser reports requests blocked by its own policy with this delay. The request itself fails first. */
const POLICY_MS = 100

/** Creates a probe with the browser's network access, until the signal aborts. */
export function createBrowserProbe(page: Document, { signal }: { signal: AbortSignal }): ProbeDeps {
  const barred = new Set<string>()
  const noteBarred = ({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent) => {
    const origin = URL.parse(blockedURI)?.origin
    if (effectiveDirective === "connect-src" && origin) barred.add(origin)
  }
  page.addEventListener("securitypolicyviolation", noteBarred, { signal })

  async function whyNot(url: string, { signal }: { signal: AbortSignal }): Promise<OfflineReason> {
    // A request that doesn't read the response distinguishes a server that is down from one that only refuses this
    // origin.
    const there = await fetch(url, { mode: "no-cors", credentials: "omit", signal }).catch(() => null)
    if (there) return "closed"
    await pause(POLICY_MS, { signal })
    return barred.has(new URL(url, page.baseURI).origin) ? "barred" : "unreachable"
  }

  return {
    ask: (url, { signal }) => fetch(url, { credentials: "omit", signal }),
    whyNot,
    pause,
    now: Date.now,
  }
}

function pause(ms: number, { signal }: { signal: AbortSignal }): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => [clearTimeout(timer), resolve()], { once: true })
  })
}
