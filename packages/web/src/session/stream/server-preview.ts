import type { StudioEvent } from "./event.ts"

/** The project's own server, started to be looked at. */
export interface ServerView {
  stage: "none" | "requested" | "starting" | "ready" | "stopping"
  /** The version of the files that runs, or is started. */
  version: number | null
  /** The command that is running on the way to it. */
  command: string | null
  /** The end of the last one; null before that, and once another is wanted. */
  end: { reason: string; failed: boolean; output: string } | null
}

export const noServer: ServerView = { stage: "none", version: null, command: null, end: null }

/** The server after one more event; the same object if the event doesn't concern it. */
export function reduceServer(server: ServerView, event: StudioEvent): ServerView {
  switch (event.type) {
    case "server_preview_requested":
      return { stage: "requested", version: event.workspace_version, command: null, end: null }
    case "server_preview_stop_requested":
      return { ...server, stage: "stopping" }
    case "server_preview_starting":
      return { ...server, stage: "starting", version: event.workspace_version, command: event.command }
    case "server_preview_ready":
      return { ...server, stage: "ready", version: event.workspace_version, command: null }
    case "server_preview_ended": {
      const { reason, failed, output } = event
      return { ...noServer, end: { reason, failed, output } }
    }
    // It was the runner before that had it.
    case "runner_claimed":
      return server.stage === "none" || server.stage === "requested" ? server : noServer
    default:
      return server
  }
}
