import { previewLabel, verifyPreviewLabel } from "@switchyard/core/sessions/previews/preview-host"
import type { Config } from "../config.ts"
import { appNameAt } from "../http/guards.ts"
import { createPathPreviews } from "../previews/path-previews.ts"
import type { Previews } from "../previews/previews.ts"

/** CloudFront passes the browser's host name in this header, because a function URL accepts only its own host name. */
export const HOST_HEADER = "x-forwarded-host"

export interface PreviewPlace {
  signingKey: Uint8Array
  /** Parent domain of the previews' host names. */
  domain: string | undefined
  /**
   * Origin shared by all previews if no domain is set. Only this origin can reach the function that serves previews.
   */
  origin?: string | undefined
}

/**
 * Creates previews at `https://<label>.<domain>`. Without a domain, they are paths on one origin, behind their own
 * distribution. Servers started by projects can't be reached.
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
    appAddressFor: (name) => `https://${name}${suffix}/`,
    findApp(host, path) {
      const name = appNameAt(host, { publicUrl, appDomain: domain })
      return name === undefined ? undefined : { name, address: `https://${name}${suffix}/`, path }
    },
  }
}
