import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import { AppError } from "../errors.ts"

/**
 * Encrypts secrets with AES-256-GCM. Each owner's key is derived from a 32-byte master key. An encrypted secret can
 * only be opened with the same master key, and for the same owner and name. Otherwise, `open` throws
 * `secret_unreadable`.
 */
export type Sealer = ReturnType<typeof createSealer>

const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSealer(masterKey: Uint8Array) {
  if (masterKey.length !== 32) throw new RangeError("The master key must be 32 bytes.")
  const keyOf = (owner: string) => Buffer.from(hkdfSync("sha256", masterKey, "", `switchyard/sealing/${owner}`, 32))
  const boundTo = (owner: string, name: string) => Buffer.from(JSON.stringify([owner, name]))
  return {
    seal(owner: string, name: string, secret: string): Uint8Array {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv("aes-256-gcm", keyOf(owner), nonce).setAAD(boundTo(owner, name))
      const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    open(owner: string, name: string, sealed: Uint8Array): string {
      const bytes = Buffer.from(sealed)
      try {
        const decipher = createDecipheriv("aes-256-gcm", keyOf(owner), bytes.subarray(0, NONCE_BYTES))
        decipher.setAAD(boundTo(owner, name))
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        const opened = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]
        return Buffer.concat(opened).toString("utf8")
      } catch (error) {
        const message = "A stored secret can't be decrypted because it was encrypted with a different master key."
        throw new AppError("secret_unreadable", message, {}, { cause: error })
      }
    },
  }
}
