import type { Part } from "../../kernel/part.ts"
import type { Picture } from "../gate/schema.ts"
import type { ServerSettings } from "./schema.ts"

/** The requested server's files and settings. */
export interface PreviewRequest extends ServerSettings {
  /** `seq` of the request's event. */
  seq: number
  at: string
  version: number
  /** Null if the session only has the repository's files. */
  manifest: string | null
  /** True if later versions replace this one. */
  follows: boolean
}

/** The project's own server, started for people to look at. Stops when its runner ends. */
export interface ServerPreviewState {
  stage: "none" | "requested" | "starting" | "ready" | "stopping"
  request: PreviewRequest | null
  /** Version that is starting or running. */
  version: number | null
  /** Last screenshot of a page, taken by a check. */
  picture: (Picture & { version: number }) | null
}

const none = { stage: "none", request: null, version: null } as const

export const previewPart: Part<ServerPreviewState> = {
  version: 3,
  initial: { ...none, picture: null },
  apply(preview, event) {
    switch (event.type) {
      case "server_preview_requested": {
        const { seq, ts: at, workspace_version: version, manifest, follows, commands, port } = event
        const settings = { ...(commands && { commands }), ...(port !== undefined && { port }) }
        return { ...preview, stage: "requested", request: { seq, at, version, manifest, follows, ...settings } }
      }
      case "server_preview_stop_requested":
        return preview.stage === "none" ? preview : { ...preview, stage: "stopping" }
      case "server_preview_starting":
        return { ...preview, stage: "starting", version: event.workspace_version }
      case "server_preview_ready":
        return { ...preview, stage: "ready", version: event.workspace_version }
      case "server_preview_ended":
        return { ...preview, ...none }
      case "page_opened": {
        const { picture, workspace_version: version } = event
        // Ignore a screenshot of a commit's page, which isn't part of the session's files and so has no version.
        return picture === null || version === undefined ? preview : { ...preview, picture: { ...picture, version } }
      }
      // When a runner ends, so do its processes. The next runner picks up requests that this one hadn't started on.
      case "runner_claimed":
      case "runner_parked":
        return preview.stage === "requested" || preview.stage === "none" ? preview : { ...preview, ...none }
      default:
        return preview
    }
  },
}
