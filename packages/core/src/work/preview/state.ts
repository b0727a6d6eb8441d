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

/** Page made by a project's build. */
export interface BuildOutput {
  /** `seq` of the event that stored it. */
  seq: number
  version: number
  folder: string
  manifest: string
}

/** Older outputs are deleted. */
const MAX_OUTPUTS = 10

/** The project's own server, started for people to look at. It stops when its runner ends. */
export interface ServerPreviewState {
  stage: "none" | "requested" | "starting" | "ready" | "stopping"
  request: PreviewRequest | null
  /** Version that is starting or running. */
  version: number | null
  /** Pages made by the project's build, stored by checks. At most one for each version; the newest version comes last. */
  outputs: readonly BuildOutput[]
  /** Last screenshot of a page, taken by a check. */
  picture: (Picture & { version: number }) | null
}

const none = { stage: "none", request: null, version: null } as const

export const previewPart: Part<ServerPreviewState> = {
  version: 6,
  initial: { ...none, outputs: [], picture: null },
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
      case "build_output_stored": {
        const { seq, workspace_version: version, folder, manifest } = event
        const others = preview.outputs.filter((output) => output.version !== version)
        // A check of an older version may end after that of a newer one.
        const outputs = [...others, { seq, version, folder, manifest }].sort((a, b) => a.version - b.version)
        return { ...preview, outputs: outputs.slice(-MAX_OUTPUTS) }
      }
      case "page_opened": {
        const { picture, workspace_version: version } = event
        // A screenshot of a commit's page has no version, because the commit isn't part of the session's files.
        return picture === null || version === undefined ? preview : { ...preview, picture: { ...picture, version } }
      }
      // A runner's processes end with it. The next runner picks up the requests that it hadn't started on.
      case "runner_claimed":
      case "runner_parked":
        return preview.stage === "requested" || preview.stage === "none" ? preview : { ...preview, ...none }
      default:
        return preview
    }
  },
}
