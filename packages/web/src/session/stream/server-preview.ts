import type { StudioEvent } from "./event.ts"

/** The project's own server, started for viewing. */
export interface ServerView {
  stage: "none" | "requested" | "starting" | "ready" | "stopping"
  /** Version of the files that is running or starting. */
  version: number | null
  /** Command that is running to start it. */
  command: string | null
  /** False if it has no page at `/`. Only known once it is ready. */
  page: boolean
  /** End of the last server; null before the first has ended, and once another is requested. */
  end: { version: number; reason: string; failed: boolean; output: string } | null
}

export const noServer: ServerView = { stage: "none", version: null, command: null, page: true, end: null }

/** Returns the server after one more event; the same object if the event doesn't affect it. */
export function reduceServer(server: ServerView, event: StudioEvent): ServerView {
  switch (event.type) {
    case "server_preview_requested":
      return { ...noServer, stage: "requested", version: event.workspace_version }
    case "server_preview_stop_requested":
      return { ...server, stage: "stopping" }
    case "server_preview_starting":
      return { ...server, stage: "starting", version: event.workspace_version, command: event.command }
    case "server_preview_ready":
      return { ...server, stage: "ready", version: event.workspace_version, command: null, page: event.page ?? true }
    case "server_preview_ended": {
      const { workspace_version: version, reason, failed, output } = event
      return { ...noServer, end: { version, reason, failed, output } }
    }
    // The server belonged to the previous runner.
    case "runner_claimed":
      return server.stage === "none" || server.stage === "requested" ? server : noServer
    default:
      return server
  }
}
