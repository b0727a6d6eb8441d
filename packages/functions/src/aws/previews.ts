import { previewLabel, verifyPreviewLabel } from "@switchyard/core/sessions/previews/preview-host"
import type { Config } from "../config.ts"
import { createPathPreviews } from "../previews/path-previews.ts"
import type { Previews } from "../previews/previews.ts"

/** CloudFront passes the browser's host name in this header, because a function URL accepts only its own host name. */
export const HOST_HEADER = "x-forwarded-host"

export interface PreviewPlace {
  signingKey: Uint8Array
  /** Parent domain of the previews' host names. */
  domain: string | undefined
  /**
   * Origin shared by all previews if no domain is set. The function that serves previews is reachable only at this
   * origin.
   */
  origin?: string | undefined
}

/**
 * Creates previews at `https://<label>.<domain>`, or else as paths on one origin, behind their own distribution.
 * Servers started by projects are not reachable.
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
