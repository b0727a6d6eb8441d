import type { PreviewGrant } from "@switchyard/core/sessions/previews/preview-grant"

/** Addresses of previews and published apps. Their hosts never serve the studio or the API. */
export interface Previews {
  /**
   * True if previewed pages have no origin of their own. In that case, all previews share one host, and browsers still
   * isolate their pages from each other. Otherwise, each preview has its own host.
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
  /** Finds the app for a host and path that a browser sent. The app isn't necessarily published. */
  findApp(host: string, path: string): FoundApp | undefined
  /**
   * Returns the socket of the project server that the session runs on this machine. Undefined if no server is running.
   * Only defined if previews can start servers.
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
