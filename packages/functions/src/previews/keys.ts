import { hkdfSync } from "node:crypto"

/** Derives the key that signs preview names. The derived key can't unseal data sealed with the master key. */
export function previewSigningKey(masterKey: Uint8Array): Uint8Array {
  return derive(masterKey, "switchyard/previews")
}

/** Derives the secret that CloudFront sends to a deployed preview function to prove that it forwarded the request. */
export function previewOriginSecret(masterKey: Uint8Array): string {
  return Buffer.from(derive(masterKey, "switchyard/previews/origin")).toString("base64url")
}

function derive(masterKey: Uint8Array, use: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", masterKey, "", use, 32))
}
