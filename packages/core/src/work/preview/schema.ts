import * as z from "zod"
import type { RepositoryChecks } from "../gate/schema.ts"

const PORT_TEXT = "A port must be a whole number from 1024 to 65535."

/** Setting for previews of the project's own server. */
export const PreviewSetting = z
  .strictObject({
    port_mode: z
      .enum(["auto", "manual", "disabled"])
      .describe("`auto` detects the server's port; `manual` uses `port`; `disabled` turns previews off"),
    port: z.int(PORT_TEXT).min(1024, PORT_TEXT).max(65_535, PORT_TEXT).nullable().describe("Port for `manual`"),
  })
  .refine(({ port_mode, port }) => port_mode !== "manual" || port !== null, {
    message: "The mode `manual` needs a port.",
    path: ["port"],
  })
  .meta({ id: "PreviewSetting" })
export type PreviewSetting = z.infer<typeof PreviewSetting>

/** A repository's settings for its server. */
export interface ServerSettings {
  commands?: RepositoryChecks | undefined
  port?: number | undefined
}

/** Default for repositories without a setting of their own. */
export const DEFAULT_PREVIEW: PreviewSetting = { port_mode: "auto", port: null }
