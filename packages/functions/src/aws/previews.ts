import { previewLabel, verifyPreviewLabel } from "@switchyard/core/sessions/previews/preview-host"
import type { Config } from "../config.ts"
import { createPathPreviews } from "../previews/path-previews.ts"
import type { Previews } from "../previews/previews.ts"

/** The header in which CloudFront passes on the name that a browser asked for: a function's address takes none but its own. */
export const HOST_HEADER = "x-forwarded-host"

export interface PreviewPlace {
  signingKey: Uint8Array
  /** The domain whose names are previews'. */
  domain: string | undefined
  /** The origin that all of them share where there is no such domain. The function that serves them is asked at no other. */
  origin?: string | undefined
}

/**
 * Previews at `https://<label>.<domain>`, or else at paths of one origin; a distribution of their own answers. Projects' own
 * servers have no way in.
 */
export function createPreviews(config: Pick<Config, "publicUrl" | "cors">, place: PreviewPlace): Previews {
  const { signingKey, domain, origin } = place
  const { publicUrl } = config
  const configured = config.cors.origins.filter((origin) => origin !== "*")
  if (domain === undefined) {
    return createPathPreviews({
      signingKey,
      originFor: () => origin,
      studioFor: () => publicUrl,
      schemeAt: (host) => (/^[a-z\d.-]+$/.test(host) ? "https" : undefined),
      otherStudios: configured,
    })
  }
  const suffix = `.${domain}`
  return {
    opaque: false,
    addressFor: (grant) => `https://${previewLabel(signingKey, grant)}${suffix}/`,
    find(host, path) {
      const name = host.toLowerCase()
      const grant = name.endsWith(suffix) ? verifyPreviewLabel(signingKey, name.slice(0, -suffix.length)) : undefined
      if (!grant) return undefined
      const studioOrigins = [...(publicUrl ? [publicUrl] : []), ...configured]
      return { grant, address: `https://${name}/`, path, studioOrigins }
    },
  }
}
