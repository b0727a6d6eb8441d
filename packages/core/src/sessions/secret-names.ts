/** Environment files, except examples, and private keys. */
const KEYS = /^(?:\.env(?:\.(?!example$|sample$|template$).*)?|id_(?:rsa|dsa|ed25519|ecdsa)|.*\.(?:pem|key|p12|pfx))$/i

/** Names of data files that probably contain secrets. A page or script may have such a name. */
const SECRET = /secret|credential|password|service-?account|private-?key|token/i
const DATA = /\.(?:json|txt|csv|xml|md|bin)$/i

/** True if a file or folder with this name may contain secrets, so that it must not leave the session unasked. */
export function isSecretName(name: string): boolean {
  return KEYS.test(name) || (SECRET.test(name) && DATA.test(name))
}
