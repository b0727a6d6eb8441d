import type { OfflineReason, ProbeDeps } from "./probe.ts"

/** The probe's way out of a browser. */
export function createBrowserProbe(page: Document): ProbeDeps {
  const barred = new Set<string>()
  page.addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective }) => {
    const origin = URL.parse(blockedURI)?.origin
    if (effectiveDirective === "connect-src" && origin) barred.add(origin)
  })

  async function whyNot(url: string, { signal }: { signal: AbortSignal }): Promise<OfflineReason> {
    // Without asking to read the answer, a server that is there can't be told from one that only is closed to us any more.
    const there = await fetch(url, { mode: "no-cors", credentials: "omit", signal }).catch(() => null)
    if (there) return "closed"
    return barred.has(new URL(url, page.baseURI).origin) ? "barred" : "unreachable"
  }

  return {
    ask: (url, { signal }) => fetch(url, { credentials: "omit", signal }),
    whyNot,
    pause: (ms, { signal }) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const timer = setTimeout(resolve, ms)
        signal.addEventListener("abort", () => [clearTimeout(timer), resolve()], { once: true })
      }),
    now: Date.now,
  }
}
