import type { PreviewGrant } from "@switchyard/core/sessions/previews/preview-grant"

/** Addresses of previews, on hosts that serve nothing from the studio or the API. */
export interface Previews {
  /**
   * True if pages have no origin of their own. All previews then share one host, where browsers still isolate the
   * pages. Otherwise, each preview has its own host.
   */
  opaque: boolean
  /**
   * Returns a preview's address, with a trailing slash, for a browser that opened the studio at this host. Returns
   * undefined if the browser couldn't reach that address.
   */
  addressFor(grant: PreviewGrant, studioHost: string): string | undefined
  /** Finds the preview for a host and path, as sent by a browser. */
  find(host: string, path: string): FoundPreview | undefined
  /**
   * Returns the socket of the session's project server while it is running here. Absent if previews can't start
   * servers.
   */
  serverSocket?(grant: PreviewGrant): string | undefined
}

export interface FoundPreview {
  grant: PreviewGrant
  /** Address with a trailing slash. */
  address: string
  /** Requested path in the workspace, still percent-encoded. */
  path: string
  /** Origins of the studios that may frame the preview and receive its reports. */
  studioOrigins: string[]
}
