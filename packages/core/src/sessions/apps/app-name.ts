import { AppError } from "../../errors.ts"

/**
 * Maximum length of an app's name. A preview's label has 63 characters, and its path segment has at least 50, so an
 * app's address is never mistaken for a preview's address.
 */
export const MAX_APP_NAME_CHARS = 40

/** Names that visitors could mistake for a part of the product or of its operator's site. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["about", "abuse", "account", "accounts", "admin", "administrator", "api", "app", "apps", "assets", "auth"],
  ...["autoconfig", "autodiscover", "billing", "blog", "cdn", "cloud", "config", "console", "dashboard", "dev", "docs"],
  ...["email", "ftp", "git", "help", "home", "hooks", "host", "id", "imap", "info", "internal", "isatap", "local"],
  ...["localhost", "login", "logout", "mail", "me", "mx", "ns", "ns1", "ns2", "oauth", "password", "pay", "payment"],
  ...[
    "payments",
    "pop",
    "postmaster",
    "preview",
    "previews",
    "prod",
    "production",
    "proxy",
    "public",
    "root",
    "secure",
  ],
  ...["security", "server", "settings", "signin", "signup", "smtp", "sso", "staging", "static", "status", "stream"],
  ...["studio", "support", "system", "test", "token", "user", "users", "vpn", "web", "webhooks", "webmail", "wpad"],
  ...["ws", "www", "www1", "www2"],
])

/**
 * Describes what is wrong with an app's name, as a sentence. Undefined if the name is valid. A valid name consists of
 * lowercase letters, digits and single hyphens. It is therefore one DNS label, and never punycode, which could imitate
 * another name.
 */
export function appNameProblem(name: string): string | undefined {
  if (name === "") return "Enter a name."
  if (name.length > MAX_APP_NAME_CHARS) return `A name has at most ${MAX_APP_NAME_CHARS} characters.`
  if (!isLabel(name)) return "A name has lowercase letters, digits and single hyphens between them."
  if (name.length < 3) return "A name has at least 3 characters."
  if (/^\d+$/.test(name)) return "A name has at least one letter."
  if (isReserved(name)) return `The name "${name}" is reserved. Choose another one.`
}

/** Returns the name if it is valid. Otherwise, throws `validation_error`. */
export function requireAppName(name: string): string {
  const problem = appNameProblem(name)
  if (problem) throw new AppError("validation_error", problem, { name: name.slice(0, 100) })
  return name
}

/** Suggests a name for a session's app: as many words of the session's title as fit. */
export function suggestAppName(title: string): string {
  const plain = title.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "")
  let name = ""
  for (const word of plain.split(/[^a-z0-9]+/)) {
    const longer = name === "" ? word : `${name}-${word}`
    if (word === "" || longer.length > MAX_APP_NAME_CHARS) continue
    name = longer
  }
  return appNameProblem(name) === undefined ? name : "my-app"
}

function isLabel(name: string): boolean {
  return name.split("-").every((part) => /^[a-z0-9]+$/.test(part))
}

/**
 * True if the name contains the product's name, or consists of 16 hexadecimal digits. The secret host name of a local
 * server's studio has the same form.
 */
function isReserved(name: string): boolean {
  return RESERVED.has(name) || name.replaceAll("-", "").includes("switchyard") || /^[0-9a-f]{16}$/.test(name)
}
