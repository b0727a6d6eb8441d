import type { SessionData } from "../stream/session-data.ts"

/** A session's state, as shown by a background tab. */
export type PageState = "idle" | "working" | "needs_you" | "done" | "warned" | "failed" | "offline"

export function pageState({ connection, live }: Pick<SessionData, "connection" | "live">): PageState {
  if (connection.state === "reconnecting") return "offline"
  if (Object.values(live.agents).some(({ agent }) => agent.questions.length > 0)) return "needs_you"
  switch (live.run?.status) {
    case "queued":
    case "running":
      return "working"
    case "parked":
      return "needs_you"
    case "completed":
      return live.run.warning ? "warned" : "done"
    case "failed":
      return "failed"
    default:
      return "idle"
  }
}

const labels = {
  idle: null,
  working: "Working",
  needs_you: "Needs you",
  done: "Done",
  warned: "Done with a warning",
  failed: "Failed",
  offline: "Offline",
} satisfies Record<PageState, string | null>

/** Returns the tab's title. The name comes first, because narrow tabs show only the beginning. */
export function pageTitle(name: string, state: PageState): string {
  return [name, labels[state], "Switchyard"].filter((part) => part !== null).join(" · ")
}

/** Colours that stand out on both light and dark tabs. */
const dots = {
  idle: null,
  working: "#2f9a8f",
  needs_you: "#e0902a",
  done: "#3f9a58",
  warned: "#e0902a",
  failed: "#d64a44",
  offline: "#8b8f94",
} satisfies Record<PageState, string | null>

/** Returns the URL of the icon with a dot for the state; null for the icon without a dot. */
export function pageIcon(state: PageState): string | null {
  const dot = dots[state]
  if (dot === null) return null
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#2f9a8f" stroke-width="3" stroke-linecap="round"><path d="M3 18h26M3 18c10 0 9-14 19-14h7"/><circle cx="24" cy="24" r="7" fill="${dot}" stroke="#fff" stroke-width="2"/></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

/** Returns the text for notifying of a change; null if there is nothing to report. */
export function notificationText(before: PageState, after: PageState, error: string | null): string | null {
  if (before === after) return null
  if (after === "needs_you") return "Waiting for you."
  // The session had already ended before it was opened.
  if (before !== "working" && before !== "needs_you") return null
  if (after === "done" || after === "warned") return `${labels[after]}.`
  return after === "failed" ? `Failed. ${error ?? "See the log."}` : null
}
