import type { PreviewGrant } from "@switchyard/core/sessions/previews/preview-grant"

/** Addresses of previews, at hosts that serve nothing of the studio or the API. */
export interface Previews {
  /**
   * True if pages have no origin of their own. All previews then share one host, and browsers isolate each page there,
   * too. Otherwise each preview has its own host.
   */
  opaque: boolean
  /**
   * Returns the address of a preview, with a trailing slash, for a browser with the studio at this host. Returns
   * undefined if the browser couldn't find that address.
   */
  addressFor(grant: PreviewGrant, studioHost: string): string | undefined
  /** Finds the preview at a host and a path, as a browser sends both. */
  find(host: string, path: string): FoundPreview | undefined
  /** Returns the socket of a session's own server while it runs here. Absent if previews start no servers. */
  serverSocket?(grant: PreviewGrant): string | undefined
}

export interface FoundPreview {
  grant: PreviewGrant
  /** Address with a trailing slash. */
  address: string
  /** Requested path in the workspace, still encoded. */
  path: string
  /** Origins of studios that may show the preview and receive its reports. */
  studioOrigins: string[]
}
