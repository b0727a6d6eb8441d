import { previewLabel, verifyPreviewLabel } from "@switchyard/core/sessions/previews/preview-host"
import type { Config } from "../config.ts"
import { isPreviewHost } from "../http/guards.ts"
import type { Previews } from "../previews/previews.ts"

export interface PreviewSources {
  signingKey: Uint8Array
  secretName: () => string | undefined
  /** The socket of a session's own server. */
  serverSocket: (sid: string) => string | undefined
}

/**
 * Previews at `http://<label>.localhost:<port>`: browsers look up no such name and find this machine (RFC 6761), and send it no
 * cookie of another name, as they would to another port of the same one. `secretName` is the studio's own of that form.
 */
export function createPreviews(
  { publicUrl, cors }: Pick<Config, "publicUrl" | "cors">,
  { signingKey, secretName, serverSocket }: PreviewSources,
): Previews {
  const names = () => ["localhost", "127.0.0.1", secretName()].filter((name) => name !== undefined)
  return {
    originFor(grant, studioHost) {
      // Through a proxy on the way, a browser elsewhere would look for the name on its own machine.
      const { name, port } = splitHost(publicUrl ? new URL(publicUrl).host : studioHost)
      const isHere = names().includes(name) && !publicUrl?.startsWith("https:")
      return isHere ? `http://${previewLabel(signingKey, grant)}.localhost${port}` : undefined
    },
    grantOf: (host) => verifyPreviewLabel(signingKey, splitHost(host).name.replace(/\.localhost$/, "")),
    serverSocket: ({ sid }) => serverSocket(sid),
    studioOrigins(host) {
      const { port } = splitHost(host)
      const configured = cors.origins.filter((origin) => origin !== "*")
      return [...names().map((name) => `http://${name}${port}`), ...configured]
    },
  }
}

/** Whether a `Host` header has the form of a preview's on this machine. Nothing but a preview is ever served there. */
export function isLocalPreviewHost(host: string): boolean {
  return isPreviewHost(host) && /^[^.]+\.localhost(?::\d{1,5})?$/i.test(host)
}

function splitHost(host: string): { name: string; port: string } {
  const [, name = "", port = ""] = /^([^:]*)(:\d{1,5})?$/.exec(host.toLowerCase()) ?? []
  return { name, port }
}
