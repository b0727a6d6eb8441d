import { previewLabel, verifyPreviewLabel } from "@switchyard/core/sessions/previews/preview-host"
import type { Config } from "../config.ts"
import { appNameAt, isPreviewHost, SHARED_PREVIEW_NAME } from "../http/guards.ts"
import { createPathPreviews } from "../previews/path-previews.ts"
import type { Previews } from "../previews/previews.ts"

export interface PreviewSources {
  signingKey: Uint8Array
  secretName: () => string | undefined
  /** Returns the socket of the server started by a session's project. */
  serverSocket: (sid: string) => string | undefined
}

/**
 * Creates previews at `http://<label>.localhost:<port>`. Browsers resolve such names to this machine (RFC 6761). A
 * browser shares cookies between all ports of one name, but not between these names. `secretName` returns the studio's
 * own name, which has the same form. With `PREVIEWS=opaque`, all previews share one host name, as on a stage without a
 * preview domain.
 */
export function createPreviews(
  config: Pick<Config, "publicUrl" | "cors" | "previews" | "appDomain">,
  { signingKey, secretName, serverSocket }: PreviewSources,
): Previews {
  const { publicUrl, cors, previews } = config
  const names = () => ["localhost", "127.0.0.1", secretName()].filter((name) => name !== undefined)
  const configured = cors.origins.filter((origin) => origin !== "*")

  /**
   * Returns the studio's host name and port. Returns undefined if the browser is on another machine, from which it
   * couldn't reach previews.
   */
  function studioAt(studioHost: string): { name: string; port: string } | undefined {
    const { name, port } = splitHost(publicUrl ? new URL(publicUrl).host : studioHost)
    const isHere = names().includes(name) && !publicUrl?.startsWith("https:")
    return isHere ? { name, port } : undefined
  }

  if (previews === "opaque") {
    return createPathPreviews({
      signingKey,
      originFor(studioHost) {
        const studio = studioAt(studioHost)
        return studio && `http://${SHARED_PREVIEW_NAME}${studio.port}`
      },
      studioFor(studioHost) {
        const studio = studioAt(studioHost)
        return studio && `http://${studio.name}${studio.port}`
      },
      schemeAt: (host) => (splitHost(host).name === SHARED_PREVIEW_NAME ? "http" : undefined),
      otherStudios: configured,
    })
  }
  return {
    opaque: false,
    addressFor(grant, studioHost) {
      const studio = studioAt(studioHost)
      return studio && `http://${previewLabel(signingKey, grant)}.localhost${studio.port}/`
    },
    find(host, path) {
      const { name, port } = splitHost(host)
      const grant = verifyPreviewLabel(signingKey, name.replace(/\.localhost$/, ""))
      if (!grant) return undefined
      const studioOrigins = [...names().map((name) => `http://${name}${port}`), ...configured]
      return { grant, address: `http://${name}${port}/`, path, studioOrigins }
    },
    appAddressFor(name, studioHost) {
      const studio = studioAt(studioHost)
      return studio && `http://${name}.localhost${studio.port}/`
    },
    findApp(host, path) {
      const { name, port } = splitHost(host)
      const app = appNameAt(host, config)
      return app === undefined ? undefined : { name: app, address: `http://${name}${port}/`, path }
    },
    serverSocket: ({ sid }) => serverSocket(sid),
  }
}

/** True if a `Host` header has the form of a preview host on this machine. Such hosts serve only previews. */
export function isLocalPreviewHost(host: string): boolean {
  return isPreviewHost(host) && /^[^.]+\.localhost(?::\d{1,5})?$/i.test(host)
}

function splitHost(host: string): { name: string; port: string } {
  const [, name = "", port = ""] = /^([^:]*)(:\d{1,5})?$/.exec(host.toLowerCase()) ?? []
  return { name, port }
}
