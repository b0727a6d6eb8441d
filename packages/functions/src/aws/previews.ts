import { previewLabel, verifyPreviewLabel } from "@switchyard/core/sessions/previews/preview-host"
import type { Config } from "../config.ts"
import { createPathPreviews } from "../previews/path-previews.ts"
import type { Previews } from "../previews/previews.ts"

/** Header that carries the browser's host name from CloudFront. A function's URL accepts only its own host name. */
export const HOST_HEADER = "x-forwarded-host"

export interface PreviewPlace {
  signingKey: Uint8Array
  /** Domain of the previews' names. */
  domain: string | undefined
  /** Origin that all previews share without such a domain. The function that serves them is reached only there. */
  origin?: string | undefined
}

/**
 * Creates previews at `https://<label>.<domain>`, or else at paths of one origin, behind their own distribution.
 * Projects' own servers are not reachable.
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
