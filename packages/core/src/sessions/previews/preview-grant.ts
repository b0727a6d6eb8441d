import { createHmac, timingSafeEqual } from "node:crypto"

/** The permission that the address of a preview stands for: to see the files of this session. */
export interface PreviewGrant {
  sid: string
  /** The life of the session. */
  incarnation: number
  /** The commit to show; null for the newest files, whatever they are; `server` for the project's own server. */
  seq: number | null | "server"
  /** Whether the page may load things of other sites. */
  external: boolean
}

/** A session's id, its incarnation, and the commit with a bit for other sites. */
const GRANT_BYTES = 16 + 2 + 6
const SIGNATURE_BYTES = 15
/** The length of a signed grant without a text. */
export const SIGNED_BYTES = GRANT_BYTES + SIGNATURE_BYTES
const EXTERNAL = 2 ** 47
/** Above the number of any event. */
const SERVER = EXTERNAL - 1

/** The grant and a text in bytes that only this key can make. `use` keeps one kind of address from passing for another. */
export function signGrant(signingKey: Uint8Array, use: string, grant: PreviewGrant, text = ""): Buffer {
  const bytes = Buffer.alloc(GRANT_BYTES)
  bytes.write(grant.sid, "hex")
  bytes.writeUIntBE(grant.incarnation, 16, 2)
  const seq = grant.seq === "server" ? SERVER : (grant.seq ?? 0)
  bytes.writeUIntBE(seq + (grant.external ? EXTERNAL : 0), 18, 6)
  const said = Buffer.concat([bytes, Buffer.from(text)])
  return Buffer.concat([said, signature(signingKey, use, said)])
}

/** The grant and the text that were signed; undefined for bytes that this key didn't make for this use. */
export function verifyGrant(
  signingKey: Uint8Array,
  use: string,
  signed: Buffer,
): { grant: PreviewGrant; text: string } | undefined {
  if (signed.length < SIGNED_BYTES) return undefined
  const said = signed.subarray(0, -SIGNATURE_BYTES)
  if (!timingSafeEqual(signed.subarray(-SIGNATURE_BYTES), signature(signingKey, use, said))) return undefined
  const place = said.readUIntBE(18, 6)
  const grant = {
    sid: said.toString("hex", 0, 16),
    incarnation: said.readUIntBE(16, 2),
    seq: place % EXTERNAL === SERVER ? ("server" as const) : place % EXTERNAL || null,
    external: place >= EXTERNAL,
  }
  return { grant, text: said.toString("utf8", GRANT_BYTES) }
}

function signature(signingKey: Uint8Array, use: string, said: Uint8Array): Buffer {
  return createHmac("sha256", signingKey).update(use).update(said).digest().subarray(0, SIGNATURE_BYTES)
}
