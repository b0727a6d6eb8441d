import { createHmac, timingSafeEqual } from "node:crypto"

/** The permission that the name of a preview's host stands for: to see the files of this session. */
export interface PreviewGrant {
  sid: string
  /** The life of the session. */
  incarnation: number
  /** The commit to show; null for the newest files, whatever they are; `server` for the project's own server. */
  seq: number | null | "server"
  /** Whether the page may load things of other sites. */
  external: boolean
}

/**
 * The name of the host of a preview: one DNS label that only this key can make. Browsers take each such name for a site of its
 * own, so a page of one has nothing in common with the studio, or with the preview of another session. The newest files of a
 * session always have the same name, so that what the page stored is still there after the next commit.
 */
export function previewLabel(signingKey: Uint8Array, grant: PreviewGrant): string {
  const bytes = Buffer.alloc(GRANT_BYTES)
  bytes.write(grant.sid, "hex")
  bytes.writeUIntBE(grant.incarnation, 16, 2)
  const seq = grant.seq === "server" ? SERVER : (grant.seq ?? 0)
  bytes.writeUIntBE(seq + (grant.external ? EXTERNAL : 0), 18, 6)
  const signed = Buffer.concat([bytes, signature(signingKey, bytes)])
  return BigInt(`0x${signed.toString("hex")}`)
    .toString(32)
    .padStart(LABEL_CHARS, "0")
}

/** The grant of a preview's label, in any case; undefined for one that this key didn't make. */
export function verifyPreviewLabel(signingKey: Uint8Array, label: string): PreviewGrant | undefined {
  if (!isPreviewLabel(label)) return undefined
  const hex = [...label].reduce((number, digit) => number * 32n + BigInt(Number.parseInt(digit, 32)), 0n).toString(16)
  const signed = Buffer.from(hex.padStart(SIGNED_BYTES * 2, "0"), "hex")
  const bytes = signed.subarray(0, GRANT_BYTES)
  const [given, expected] = [signed.subarray(GRANT_BYTES), signature(signingKey, bytes)]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const place = bytes.readUIntBE(18, 6)
  return {
    sid: bytes.toString("hex", 0, 16),
    incarnation: bytes.readUIntBE(16, 2),
    seq: place % EXTERNAL === SERVER ? "server" : place % EXTERNAL || null,
    external: place >= EXTERNAL,
  }
}

/** Whether a DNS label has the form of a preview's, whoever made it. */
export function isPreviewLabel(label: string): boolean {
  return /^[0-9a-v]{63}$/i.test(label)
}

/** A session's id, its incarnation, and the commit with a bit for other sites. */
const GRANT_BYTES = 16 + 2 + 6
const SIGNATURE_BYTES = 15
const SIGNED_BYTES = GRANT_BYTES + SIGNATURE_BYTES
/** As much as a label holds, in base 32: DNS knows no case. */
const LABEL_CHARS = 63
const EXTERNAL = 2 ** 47
/** Above the number of any event. */
const SERVER = EXTERNAL - 1

function signature(signingKey: Uint8Array, grant: Uint8Array): Buffer {
  return createHmac("sha256", signingKey).update("preview").update(grant).digest().subarray(0, SIGNATURE_BYTES)
}
