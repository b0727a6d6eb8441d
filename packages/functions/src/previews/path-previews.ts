import { previewSegment, verifyPreviewSegment } from "@switchyard/core/sessions/previews/preview-path"
import type { Previews } from "./previews.ts"

export interface PathPreviewSources {
  signingKey: Uint8Array
  /** The origin that all previews share, for the browser that has the studio at this host; undefined where it couldn't find that. */
  originFor(studioHost: string): string | undefined
  /** The origin of the studio at this host. */
  studioFor(studioHost: string): string | undefined
  /** Whether previews are at this host, and by which scheme. */
  schemeAt(host: string): "http" | "https" | undefined
  /** Origins of other studios that may show them. */
  otherStudios: string[]
}

/** Previews at `<origin>/<segment>/`, for whoever has no domain with a name for each. */
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
  }
}
