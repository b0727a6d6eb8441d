import type { PreviewGrant } from "@switchyard/core/sessions/previews/preview-grant"

/** The addresses of previews, at hosts where nothing of the studio or the API is served. */
export interface Previews {
  /**
   * Whether pages have no origin of their own: all previews then share one host, and browsers are told to take each page for a
   * stranger there, too. Otherwise each has a host of its own.
   */
  opaque: boolean
  /** The address of a preview, with a slash at its end, for the browser that has the studio at this host; undefined where it couldn't find that. */
  addressFor(grant: PreviewGrant, studioHost: string): string | undefined
  /** The preview at a host and a path, as a browser sends both; undefined if there can't be one. */
  find(host: string, path: string): FoundPreview | undefined
  /** The socket of a session's own server, as long as one runs here. Absent where none is started to be looked at. */
  serverSocket?(grant: PreviewGrant): string | undefined
}

export interface FoundPreview {
  grant: PreviewGrant
  /** Its address, with a slash at its end. */
  address: string
  /** The path in the workspace that is asked for, still encoded. */
  path: string
  /** The origins of the studio that may show it, and that it reports to. */
  studioOrigins: string[]
}
