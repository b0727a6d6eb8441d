import { appNameProblem } from "@switchyard/core/sessions/apps/app-name"
import { previewSegment, verifyPreviewSegment } from "@switchyard/core/sessions/previews/preview-path"
import type { Previews } from "./previews.ts"

export interface PathPreviewSources {
  signingKey: Uint8Array
  /**
   * Returns the shared origin of previews for a browser that opened the studio at this host. Undefined if the browser
   * couldn't reach that origin.
   */
  originFor(studioHost: string): string | undefined
  /** Returns the origin of the studio at this host. */
  studioFor(studioHost: string): string | undefined
  /** Returns the scheme of previews at this host. Undefined if the host doesn't serve previews. */
  schemeAt(host: string): "http" | "https" | undefined
  /** Origins of other studios that may frame the previews. */
  otherStudios: string[]
}

/** Creates previews at `<origin>/<segment>/`, for installations where previews can't have their own host names. */
export function createPathPreviews(sources: PathPreviewSources): Previews {
  const { signingKey, originFor, studioFor, schemeAt, otherStudios } = sources
  return {
    opaque: true,
    addressFor(grant, studioHost) {
      const [origin, studio] = [originFor(studioHost), studioFor(studioHost)]
      if (origin === undefined || studio === undefined) return undefined
      return `${origin}/${previewSegment(signingKey, { grant, studio })}/`
    },
    find(host, path) {
      const scheme = schemeAt(host)
      const [, segment, rest] = /^\/([^/]+)\/(.*)$/s.exec(path) ?? []
      if (scheme === undefined || segment === undefined || rest === undefined) return undefined
      const found = verifyPreviewSegment(signingKey, segment)
      if (!found) return undefined
      const { grant, studio } = found
      return {
        grant,
        address: `${scheme}://${host}/${segment}/`,
        path: `/${rest}`,
        studioOrigins: [studio, ...otherStudios],
      }
    },
    appAddressFor(name, studioHost) {
      const origin = originFor(studioHost)
      return origin && `${origin}/${name}/`
    },
    findApp(host, path) {
      const scheme = schemeAt(host)
      const [, name, rest = ""] = /^\/([^/]+)(\/.*)?$/s.exec(path) ?? []
      if (scheme === undefined || name === undefined || appNameProblem(name) !== undefined) return undefined
      return { name, address: `${scheme}://${host}/${name}/`, path: rest }
    },
  }
}
