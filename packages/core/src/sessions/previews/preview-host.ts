import { type PreviewGrant, SIGNED_BYTES, signGrant, verifyGrant } from "./preview-grant.ts"

/**
 * Returns a preview's host name: one DNS label that can only be created with this key. Browsers treat each label as a
 * separate site, isolated from the studio and from other previews. The newest files of a session always have the same
 * label, so the page keeps the data that it stores in the browser after the next commit.
 */
export function previewLabel(signingKey: Uint8Array, grant: PreviewGrant): string {
  const signed = signGrant(signingKey, USE, grant)
  return BigInt(`0x${signed.toString("hex")}`)
    .toString(32)
    .padStart(LABEL_CHARS, "0")
}

/** Returns the grant in a preview label, ignoring case. Undefined if the label wasn't created with this key. */
export function verifyPreviewLabel(signingKey: Uint8Array, label: string): PreviewGrant | undefined {
  if (!isPreviewLabel(label)) return undefined
  const hex = [...label].reduce((number, digit) => number * 32n + BigInt(Number.parseInt(digit, 32)), 0n).toString(16)
  const signed = Buffer.from(hex.padStart(SIGNED_BYTES * 2, "0"), "hex")
  return signed.length === SIGNED_BYTES ? verifyGrant(signingKey, USE, signed)?.grant : undefined
}

/** True if a DNS label has the form of a preview label. Doesn't check its signature. */
export function isPreviewLabel(label: string): boolean {
  return /^[0-9a-v]{63}$/i.test(label)
}

const USE = "preview"
/** Maximum length of a DNS label. The label is in base 32, because DNS is case-insensitive. */
const LABEL_CHARS = 63
