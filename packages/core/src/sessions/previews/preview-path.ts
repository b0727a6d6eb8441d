import { type PreviewGrant, signGrant, verifyGrant } from "./preview-grant.ts"

/** Grant in an address, and the origin of the studio that the address was created for. */
export interface PathGrant {
  grant: PreviewGrant
  studio: string
}

/**
 * Returns the first path segment of a preview on a shared host. It can only be created with this key. The segment
 * contains the origin of the studio that may frame the page, because the server of the page doesn't know that origin
 * otherwise.
 */
export function previewSegment(signingKey: Uint8Array, { grant, studio }: PathGrant): string {
  return signGrant(signingKey, USE, grant, studio).toString("base64url")
}

/** Returns the grant in a path segment. Undefined if the segment wasn't created with this key. */
export function verifyPreviewSegment(signingKey: Uint8Array, segment: string): PathGrant | undefined {
  if (!/^[\w-]{1,400}$/.test(segment)) return undefined
  const signed = Buffer.from(segment, "base64url")
  // Base64 can encode the same bytes in several ways. Accept only one of them for each address.
  if (signed.toString("base64url") !== segment) return undefined
  const found = verifyGrant(signingKey, USE, signed)
  return found && { grant: found.grant, studio: found.text }
}

const USE = "path"
