import type { PreviewGrant } from "@switchyard/core/sessions/previews/preview-grant"

/** Addresses of previews. Their hosts serve nothing of the studio or the API. */
export interface Previews {
  /**
   * True if pages don't have their own origin. All previews then share one host, and browsers still isolate the pages
   * from each other. Otherwise, each preview has its own host.
   */
  opaque: boolean
  /**
   * Returns a preview's address, with a trailing slash, for a browser that opened the studio at this host. Returns
   * undefined if the browser couldn't reach the preview.
   */
  addressFor(grant: PreviewGrant, studioHost: string): string | undefined
  /** Finds the preview for a host and path that a browser sent. */
  find(host: string, path: string): FoundPreview | undefined
  /**
   * Returns the address of a published app, with a trailing slash. Returns undefined if a browser that opened the
   * studio at this host couldn't reach it.
   */
  appAddressFor(name: string, studioHost: string): string | undefined
  /** Finds the app for a host and path that a browser sent. It needn't be published. */
  findApp(host: string, path: string): FoundApp | undefined
  /**
   * Returns the socket of the server that the session's project runs here. Returns undefined if none is running. Absent
   * if previews can't start servers.
   */
  serverSocket?(grant: PreviewGrant): string | undefined
}

export interface FoundApp {
  name: string
  /** Address with a trailing slash. */
  address: string
  /** Requested path below the address, still percent-encoded. */
  path: string
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
