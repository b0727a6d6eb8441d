import { previewLabel, verifyPreviewLabel } from "@switchyard/core/sessions/previews/preview-host"
import type { Config } from "../config.ts"
import type { Previews } from "../previews/previews.ts"

/** The header in which CloudFront passes on the name that a browser asked for: a function's address takes none but its own. */
export const HOST_HEADER = "x-forwarded-host"

/** Previews at `https://<label>.<domain>`, which a distribution of their own answers. Projects' own servers have no way in. */
export function createPreviews(
  { publicUrl, cors }: Pick<Config, "publicUrl" | "cors">,
  { signingKey, domain }: { signingKey: Uint8Array; domain: string },
): Previews {
  const suffix = `.${domain}`
  return {
    originFor: (grant) => `https://${previewLabel(signingKey, grant)}${suffix}`,
    grantOf(host) {
      const name = host.toLowerCase()
      return name.endsWith(suffix) ? verifyPreviewLabel(signingKey, name.slice(0, -suffix.length)) : undefined
    },
    studioOrigins: () => [...(publicUrl ? [publicUrl] : []), ...cors.origins.filter((origin) => origin !== "*")],
  }
}
