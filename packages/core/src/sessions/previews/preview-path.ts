import { type PreviewGrant, signGrant, verifyGrant } from "./preview-grant.ts"

/** Grant of an address, and the origin of the studio that it was made for. */
export interface PathGrant {
  grant: PreviewGrant
  studio: string
}

/**
 * Returns the first path segment of a preview on a shared host. Only this key can make it. It contains the studio that
 * may frame the page, because the server of the page doesn't know the studio's address.
 */
export function previewSegment(signingKey: Uint8Array, { grant, studio }: PathGrant): string {
  return signGrant(signingKey, USE, grant, studio).toString("base64url")
}

/** Returns the grant of a path segment, or undefined if this key didn't make it. */
export function verifyPreviewSegment(signingKey: Uint8Array, segment: string): PathGrant | undefined {
  if (!/^[\w-]{1,400}$/.test(segment)) return undefined
  const signed = Buffer.from(segment, "base64url")
  // Base64 can spell the same bytes in several ways. Only one address is accepted.
  if (signed.toString("base64url") !== segment) return undefined
  const found = verifyGrant(signingKey, USE, signed)
  return found && { grant: found.grant, studio: found.text }
}

const USE = "path"
