import { createHmac, timingSafeEqual } from "node:crypto"

/** Permission to see a session's files, contained in the address of a preview. */
export interface PreviewGrant {
  sid: string
  incarnation: number
  /**
   * Event that stored the files to show: a commit, or the output of a build. Null for the newest files, `build` for the
   * newest build output, and `server` for the project's own server.
   */
  seq: number | null | "build" | "server"
  /** True if the page may load content from other sites. */
  external: boolean
}

/** Length of an unsigned grant: session ID, incarnation, and a number for the commit and the `external` bit. */
const GRANT_BYTES = 16 + 2 + 6
const SIGNATURE_BYTES = 15
/** Length of a signed grant that contains no additional text. */
export const SIGNED_BYTES = GRANT_BYTES + SIGNATURE_BYTES
const EXTERNAL = 2 ** 47
/** Values that are used instead of an event number. They are larger than any event number. */
const VALUES = { server: EXTERNAL - 1, build: EXTERNAL - 2 } as const

/**
 * Returns the grant and a text as signed bytes that can only be created with this key. `use` names the kind of address,
 * so that bytes signed for one kind of address aren't valid for another.
 */
export function signGrant(signingKey: Uint8Array, use: string, grant: PreviewGrant, text = ""): Buffer {
  const bytes = Buffer.alloc(GRANT_BYTES)
  bytes.write(grant.sid, "hex")
  bytes.writeUIntBE(grant.incarnation, 16, 2)
  const seq = typeof grant.seq === "string" ? VALUES[grant.seq] : (grant.seq ?? 0)
  bytes.writeUIntBE(seq + (grant.external ? EXTERNAL : 0), 18, 6)
  const said = Buffer.concat([bytes, Buffer.from(text)])
  return Buffer.concat([said, signature(signingKey, use, said)])
}

/**
 * Returns the grant and text from the signed bytes. Undefined if the bytes weren't signed with this key for this use.
 */
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
    seq: seqOf(place % EXTERNAL),
    external: place >= EXTERNAL,
  }
  return { grant, text: said.toString("utf8", GRANT_BYTES) }
}

function seqOf(value: number): PreviewGrant["seq"] {
  if (value === VALUES.server) return "server"
  return value === VALUES.build ? "build" : value || null
}

function signature(signingKey: Uint8Array, use: string, said: Uint8Array): Buffer {
  return createHmac("sha256", signingKey).update(use).update(said).digest().subarray(0, SIGNATURE_BYTES)
}
