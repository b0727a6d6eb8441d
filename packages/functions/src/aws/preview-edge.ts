import { AppError } from "@switchyard/core/errors"
import { createOpenApp } from "@switchyard/core/sessions/apps/app-store"
import { shownMessage } from "@switchyard/core/system-faults"
import { Hono } from "hono"
import * as z from "zod"
import { requireOrigin } from "../http/origin.ts"
import { createPreviewApp } from "../previews/preview-app.ts"
import type { Cloud } from "./cloud.ts"
import { abortBeforeDeadline } from "./deadline.ts"
import { createPreviews, HOST_HEADER } from "./previews.ts"
import type { StreamedEnv } from "./streamed.ts"

/** Settings for a function that has the derived preview keys, but not the master key. */
const PreviewSettings = z.object({
  PREVIEW_DOMAIN: z.string().min(1).optional(),
  PREVIEW_KEY: z.base64().transform((text) => new Uint8Array(Buffer.from(text, "base64"))),
  PREVIEW_SECRET: z.string().min(32),
})

/** Creates the previews app, which is reached through its own distribution. The app serves files and is read-only. */
export function createPreviewEdge(cloud: Cloud, env: Record<string, string | undefined>): Hono<StreamedEnv> {
  const { PREVIEW_DOMAIN: domain, PREVIEW_KEY: signingKey, PREVIEW_SECRET } = PreviewSettings.parse(env)
  const { core, records, clock, blobs, config, report } = cloud
  const previews = createPreviews(config, { signingKey, domain })
  const openApp = createOpenApp(cloud)
  const edge = new Hono<StreamedEnv>()
  edge.onError((error, c) => {
    if (error instanceof AppError) return c.text("Use the address shown in the studio.", 403)
    report(error)
    return c.text(shownMessage(error), 500)
  })
  edge.use(requireOrigin(PREVIEW_SECRET))
  edge.all("*", (c) => {
    const stopping = abortBeforeDeadline(c.env.context)
    const app = createPreviewApp({
      ...core,
      records,
      clock,
      blobs,
      previews,
      openApp,
      hostHeader: HOST_HEADER,
      report,
      stopping,
    })
    return app.fetch(c.req.raw, c.env)
  })
  return edge
}
