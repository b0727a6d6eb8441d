import { type PreviewGrant, SIGNED_BYTES, signGrant, verifyGrant } from "./preview-grant.ts"

/**
 * The name of the host of a preview: one DNS label that only this key can make. Browsers take each such name for a site of its
 * own, so a page of one has nothing in common with the studio, or with the preview of another session. The newest files of a
 * session always have the same name, so that what the page stored is still there after the next commit.
 */
export function previewLabel(signingKey: Uint8Array, grant: PreviewGrant): string {
  const signed = signGrant(signingKey, USE, grant)
  return BigInt(`0x${signed.toString("hex")}`)
    .toString(32)
    .padStart(LABEL_CHARS, "0")
}

/** The grant of a preview's label, in any case; undefined for one that this key didn't make. */
export function verifyPreviewLabel(signingKey: Uint8Array, label: string): PreviewGrant | undefined {
  if (!isPreviewLabel(label)) return undefined
  const hex = [...label].reduce((number, digit) => number * 32n + BigInt(Number.parseInt(digit, 32)), 0n).toString(16)
  const signed = Buffer.from(hex.padStart(SIGNED_BYTES * 2, "0"), "hex")
  return signed.length === SIGNED_BYTES ? verifyGrant(signingKey, USE, signed)?.grant : undefined
}

/** Whether a DNS label has the form of a preview's, whoever made it. */
export function isPreviewLabel(label: string): boolean {
  return /^[0-9a-v]{63}$/i.test(label)
}

const USE = "preview"
/** As much as a label holds, in base 32: DNS knows no case. */
const LABEL_CHARS = 63
