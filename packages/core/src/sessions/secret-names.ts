/** Names of private keys, and of environment files except examples. */
const KEYS = /^(?:\.env(?:\.(?!example$|sample$|template$).*)?|id_(?:rsa|dsa|ed25519|ecdsa)|.*\.(?:pem|key|p12|pfx))$/i

/** Words in the names of data files that probably contain secrets. Pages and scripts may have such names. */
const SECRET = /secret|credential|password|service-?account|private-?key|token/i
const DATA = /\.(?:json|txt|csv|xml|md|bin)$/i

/**
 * True if a file or folder with this name may contain secrets. It must then not leave the session unless the user asks
 * for it.
 */
export function isSecretName(name: string): boolean {
  return KEYS.test(name) || (SECRET.test(name) && DATA.test(name))
}
