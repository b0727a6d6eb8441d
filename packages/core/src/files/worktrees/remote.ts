import { AppError } from "../../errors.ts"

/** The credentials for a remote. Never in its URL, in an event, or in a file of the clone. */
export interface RemoteCredentials {
  username: string
  password: string
}

/** The address that a repository is cloned from, and the credentials that it was given with. */
export interface Remote {
  url: string
  credentials?: RemoteCredentials
}

const PROTOCOLS = new Set(["https:", "http:", "ssh:", "git:"])

/**
 * Parses the address of a repository. Refuses what git would take for an option or for a program to run, and folders of
 * this machine where callers may not use those.
 */
export function parseRemote(input: string, { local }: { local: boolean }): Remote {
  const text = input.trim()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  if (text === "" || /[\x00-\x1f\x7f]/.test(text)) throw refused("is empty or has control characters")
  if (text.startsWith("-")) throw refused("begins with a hyphen")
  if (/^[A-Za-z0-9+.-]+::/.test(text)) throw refused("names a program to run")
  if (text.startsWith("/") || text.startsWith("file:///")) {
    if (!local) throw refused("is a folder of the server")
    return { url: text }
  }
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text)) return parseUrl(text)
  // `user@host:path`, as ssh has it. A user with a leading hyphen would be an option for ssh.
  if (/^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9[][\w.:[\]-]*:[^-].*$/s.test(text)) return { url: text }
  throw refused("is neither a URL nor user@host:path")
}

function parseUrl(text: string): Remote {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !PROTOCOLS.has(url.protocol)) throw refused("has an unsupported scheme")
  if (url.hostname === "" || url.hostname.startsWith("-") || url.username.startsWith("-")) throw refused("has no host")
  if (url.password !== "" && url.protocol === "ssh:") throw refused("has a password, which SSH doesn't take from a URL")
  if (url.username + url.password !== "" && url.protocol === "git:")
    throw refused("has credentials, which git:// lacks")
  if (url.protocol === "ssh:" || url.protocol === "git:") return { url: text }
  const credentials = { username: decode(url.username), password: decode(url.password) }
  url.username = ""
  url.password = ""
  return credentials.username || credentials.password ? { url: url.href, credentials } : { url: url.href }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refused("has credentials that can't be read")
  }
}

function refused(reason: string): AppError {
  return new AppError("repository_error", `The repository's address ${reason}.`)
}
