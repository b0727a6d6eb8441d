import type { PreviewGrant } from "@switchyard/core/sessions/previews/preview-host"

/** The addresses of previews: each has a host of its own, at which nothing of the studio or the API is served. */
export interface Previews {
  /** The origin of a preview for the browser that has the studio at this host; undefined where it couldn't find that. */
  originFor(grant: PreviewGrant, studioHost: string): string | undefined
  /** The grant of the host of a preview; undefined if that isn't one. */
  grantOf(host: string): PreviewGrant | undefined
  /** The socket of a session's own server, as long as one runs here. Absent where none is started to be looked at. */
  serverSocket?(grant: PreviewGrant): string | undefined
  /** The origins of the studio that may show the preview at this host, and that it reports to. */
  studioOrigins(host: string): string[]
}
