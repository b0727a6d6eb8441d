import type { Connection } from "../../../session/stream/session-data.ts"

/** The state of the session's stream, as a label with a dot and a longer explanation. */
export function connectionLabel(connection: Connection, seq: number): { dot: string; text: string; title: string } {
  switch (connection.state) {
    case "live":
      if (connection.isPolled) {
        return { dot: "bg-ok", text: "Updates every few seconds", title: "A proxy holds live updates back" }
      }
      return { dot: "bg-ok", text: "Live", title: "Events appear as they happen" }
    case "resting":
      return { dot: "border border-strong", text: "Resting", title: "Nothing is running; updates are paused" }
    case "reconnecting":
      return {
        dot: "bg-need",
        text: "Reconnecting",
        title: `Disconnected. Showing the state at event ${seq}`,
      }
    case "failed":
      return { dot: "bg-err", text: "Offline", title: connection.message }
    default:
      return { dot: "border border-strong", text: "Connecting", title: "" }
  }
}
