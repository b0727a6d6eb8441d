import { hkdfSync } from "node:crypto"

/** The key that the names of previews are signed with. It opens nothing that the master key seals. */
export function previewSigningKey(masterKey: Uint8Array): Uint8Array {
  return derive(masterKey, "switchyard/previews")
}

/** The secret by which a deployed preview function knows what came through CloudFront. */
export function previewOriginSecret(masterKey: Uint8Array): string {
  return Buffer.from(derive(masterKey, "switchyard/previews/origin")).toString("base64url")
}

function derive(masterKey: Uint8Array, use: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", masterKey, "", use, 32))
}
