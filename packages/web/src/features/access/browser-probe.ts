import type { OfflineReason, ProbeDeps } from "./probe.ts"

/** For how long a page may keep to itself that it is its own policy that forbade a request: the request fails first. */
const POLICY_MS = 100

/** The probe's way out of a browser, until the signal ends it. */
export function createBrowserProbe(page: Document, { signal }: { signal: AbortSignal }): ProbeDeps {
  const barred = new Set<string>()
  const noteBarred = ({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent) => {
    const origin = URL.parse(blockedURI)?.origin
    if (effectiveDirective === "connect-src" && origin) barred.add(origin)
  }
  page.addEventListener("securitypolicyviolation", noteBarred, { signal })

  async function whyNot(url: string, { signal }: { signal: AbortSignal }): Promise<OfflineReason> {
    // Without asking to read the answer, a server that is there can't be told from one that only is closed to us any more.
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
