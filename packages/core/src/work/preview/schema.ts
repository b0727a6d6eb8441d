import * as z from "zod"
import type { RepositoryChecks } from "../gate/schema.ts"

const PORT_TEXT = "A port is a whole number from 1024 to 65535."

/** The setting of how the project's own server is shown to people. */
export const PreviewSetting = z
  .strictObject({
    port_mode: z
      .enum(["auto", "manual", "disabled"])
      .describe(
        "`auto`: any port on which it listens is found; `manual`: it is `port`; `disabled`: no server is shown",
      ),
    port: z.int(PORT_TEXT).min(1024, PORT_TEXT).max(65_535, PORT_TEXT).nullable().describe("Of `manual`"),
  })
  .refine(({ port_mode, port }) => port_mode !== "manual" || port !== null, {
    message: "The mode manual takes a port.",
    path: ["port"],
  })
  .meta({ id: "PreviewSetting" })
export type PreviewSetting = z.infer<typeof PreviewSetting>

/** The settings of a session's repository for its server. */
export interface ServerSettings {
  commands?: RepositoryChecks | undefined
  port?: number | undefined
}

/** The setting of a repository for which nothing was set. */
export const DEFAULT_PREVIEW: PreviewSetting = { port_mode: "auto", port: null }
