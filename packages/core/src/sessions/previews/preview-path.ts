import { type PreviewGrant, signGrant, verifyGrant } from "./preview-grant.ts"

/** The grant of an address, and the origin of the studio that it was made for. */
export interface PathGrant {
  grant: PreviewGrant
  studio: string
}

/**
 * The first part of the path of a preview whose host has others, too: only this key can make it. It names the studio that may
 * frame the page, for whoever serves that page doesn't know its address.
 */
export function previewSegment(signingKey: Uint8Array, { grant, studio }: PathGrant): string {
  return signGrant(signingKey, USE, grant, studio).toString("base64url")
}

/** The grant that such a part stands for; undefined for one that this key didn't make. */
export function verifyPreviewSegment(signingKey: Uint8Array, segment: string): PathGrant | undefined {
  if (!/^[\w-]{1,400}$/.test(segment)) return undefined
  const signed = Buffer.from(segment, "base64url")
  // Base64 has several spellings of the same bytes: one address is enough.
  if (signed.toString("base64url") !== segment) return undefined
  const found = verifyGrant(signingKey, USE, signed)
  return found && { grant: found.grant, studio: found.text }
}

const USE = "path"
