import type { TabDeps } from "../connection/tab-streams.ts"
import type { StoreDeps } from "../stream/session-store.ts"

export type BrowserClock = Pick<StoreDeps, "nextFrame" | "seen" | "unseen"> &
  Pick<TabDeps, "fetch" | "random" | "now" | "pause" | "isWatched" | "onSleep">

/** A stream is closed once the page has been hidden for this long. */
const UNSEEN_MS = 60_000
/** Hidden pages get no animation frames, so a timer takes over. */
const HIDDEN_FRAME_MS = 250

/** Creates the browser-dependent parts of streams: frames, visibility, and connectivity. */
export function createBrowserClock(): BrowserClock {
  return {
    fetch: (...args) => fetch(...args),
    random: Math.random,
    now: Date.now,
    isWatched: () => !document.hidden,
    onSleep: (listener) => {
      const done = new AbortController()
      const on = (target: EventTarget, type: string, asleep: boolean) =>
        target.addEventListener(type, () => listener(asleep), { signal: done.signal })
      on(window, "pagehide", true)
      on(document, "freeze", true)
      on(document, "resume", false)
      window.addEventListener("pageshow", ({ persisted }) => persisted && listener(false), { signal: done.signal })
      return () => done.abort()
    },
    nextFrame: (callback) => {
      let called = false
      const once = () => {
        if (called) return
        called = true
        cancelAnimationFrame(frame)
        clearTimeout(timer)
        callback()
      }
      const frame = requestAnimationFrame(once)
      const timer = setTimeout(once, HIDDEN_FRAME_MS)
    },
    pause: (ms, { signal }) =>
      new Promise((resolve) => {
        const done = new AbortController()
        const wake = () => {
          clearTimeout(timer)
          done.abort()
          resolve()
        }
        const timer = setTimeout(wake, ms)
        window.addEventListener("online", wake, { signal: done.signal })
        document.addEventListener("visibilitychange", () => !document.hidden && wake(), { signal: done.signal })
        signal.addEventListener("abort", wake, { signal: done.signal })
      }),
    seen: ({ signal }) =>
      new Promise((resolve) => {
        if (!document.hidden) return resolve()
        const done = new AbortController()
        const look = () => {
          if (document.hidden && !signal.aborted) return
          done.abort()
          resolve()
        }
        document.addEventListener("visibilitychange", look, { signal: done.signal })
        signal.addEventListener("abort", look, { signal: done.signal })
      }),
    unseen: ({ signal }) => {
      const controller = new AbortController()
      let timer: ReturnType<typeof setTimeout> | undefined
      const look = () => {
        clearTimeout(timer)
        if (document.hidden) timer = setTimeout(() => controller.abort(), UNSEEN_MS)
      }
      document.addEventListener("visibilitychange", look, { signal: AbortSignal.any([signal, controller.signal]) })
      signal.addEventListener("abort", () => clearTimeout(timer), { once: true })
      look()
      return controller.signal
    },
  }
}
