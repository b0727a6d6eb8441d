import { debug, row, success, warning } from "./headline.ts"

/** Headlines for events of a project's own server, started for a preview. */
export const previewHeadlines = {
  server_preview_requested: ({ workspace_version }: { workspace_version: number }) =>
    row("system", `Server for version ${workspace_version} requested`),
  server_preview_stop_requested: () => debug("system", "Server stop requested"),
  server_preview_starting: ({ command }: { command: string }) => debug("system", `Running ${command}`),
  server_preview_ready: ({ workspace_version }: { workspace_version: number }) =>
    success("system", `Server for version ${workspace_version} is ready`),
  server_preview_ended: ({ reason, failed }: { reason: string; failed: boolean }) =>
    (failed ? warning : row)("system", `Server ended: ${reason}`),
}
