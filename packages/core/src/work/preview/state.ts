import type { Part } from "../../kernel/part.ts"
import type { Picture } from "../gate/schema.ts"
import type { ServerSettings } from "./schema.ts"

/** The files of which the server is wanted. */
export interface PreviewRequest extends ServerSettings {
  /** The event that asked for it. */
  seq: number
  at: string
  version: number
  /** Null where there are no files but those of the repository. */
  manifest: string | null
  /** Whether later versions take its place. */
  follows: boolean
}

/** The project's own server, started for people to look at. It is there only as long as its runner. */
export interface ServerPreviewState {
  stage: "none" | "requested" | "starting" | "ready" | "stopping"
  request: PreviewRequest | null
  /** The version that is started, or that answers. */
  version: number | null
  /** A screenshot of the page of the files, from when a check opened it. */
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
        // A commit's page is none of the session's files.
        return picture === null || version === undefined ? preview : { ...preview, picture: { ...picture, version } }
      }
      // The processes of a runner end with it. Commands that it hadn't begun are left to the next one.
      case "runner_claimed":
      case "runner_parked":
        return preview.stage === "requested" || preview.stage === "none" ? preview : { ...preview, ...none }
      default:
        return preview
    }
  },
}
