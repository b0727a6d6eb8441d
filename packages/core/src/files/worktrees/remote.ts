import { normalize } from "node:path/posix"
import { fileURLToPath, pathToFileURL } from "node:url"
import { AppError } from "../../errors.ts"

/** Credentials for a remote. They are never stored in the remote's URL, in an event, or in a file of the clone. */
export interface RemoteCredentials {
  username: string
  password: string
}

/** URL from which a repository is cloned, and the credentials given with the URL. */
export interface Remote {
  url: string
  credentials?: RemoteCredentials
}

/**
 * Matches `user@host:path`, as used by ssh. The user must not begin with a hyphen, because ssh would treat it as an
 * option.
 */
const SCP_LIKE = /^[A-Za-z0-9_][\w.-]*@([A-Za-z0-9][\w.-]*|\[[0-9A-Fa-f:.]+\]):[^-].*$/s

/**
 * Matches URLs that git parses in the same way as other programs. In other URLs, git might find a different host,
 * because it decodes the whole URL before it looks for the host, and ignores queries.
 */
const GIT_URL = /^(?:ssh:\/\/(?:[A-Za-z0-9_][\w.-]*@)?|git:\/\/)([A-Za-z0-9][\w.-]*|\[[0-9A-Fa-f:.]+\])(?::\d+)?\/.*$/is

const PROTOCOLS = new Set(["https:", "http:", "ssh:", "git:"])

/**
 * Parses the URL of a repository. Throws `repository_error` if git can't use the URL, if git would treat it as an
 * option or as a program to run, or if it is a local folder and `local` is false.
 */
export function parseRemote(input: string, { local }: { local: boolean }): Remote {
  const text = input.trim()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  if (text === "" || /[\x00-\x1f\x7f]/.test(text)) throw refused("is empty or contains control characters")
  if (text.startsWith("-")) throw refused("starts with a hyphen")
  if (/^[A-Za-z0-9+.-]+::/.test(text)) throw refused("names a program to run")
  if (text.startsWith("/") || text.startsWith("file:///")) {
    if (!local) throw refused("is a folder on the server")
    return { url: text.startsWith("/") ? text : parseFileUrl(text) }
  }
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text)) return parseUrl(text)
  if (SCP_LIKE.test(text)) return { url: text }
  throw refused("is neither a URL nor user@host:path")
}

/** Returns the host to which git connects. Undefined for a local folder. */
export function hostOf({ url }: Remote): string | undefined {
  if (isHttp(url)) return new URL(url).hostname
  return (GIT_URL.exec(url) ?? SCP_LIKE.exec(url))?.[1]?.replace(/^\[|\]$/g, "")
}

export function isHttp(url: string): boolean {
  return /^https?:/i.test(url)
}

/** True if two remotes are the same. The paths of local folders may be written differently. */
export function isSameRemote(a: string, b: string): boolean {
  return a === b || (a.startsWith("/") && plainFolder(a) === plainFolder(b))
}

function plainFolder(path: string): string {
  return normalize(path).replace(/(?<=.)\/$/, "")
}

/** Returns the local folder of a remote. Undefined if the remote is on the network. */
export function folderOf({ url }: Remote): string | undefined {
  if (url.startsWith("/")) return url
  return url.startsWith("file:") ? fileURLToPath(url) : undefined
}

/**
 * Normalises a file URL so that git interprets it in the same way as other programs. Rejects queries and fragments,
 * because git ignores them.
 */
function parseFileUrl(text: string): string {
  try {
    if (!/[?#]/.test(text)) return pathToFileURL(fileURLToPath(text)).href
  } catch {
    // The text isn't a file URL, so it is rejected below.
  }
  throw refused("isn't the URL of a folder")
}

function parseUrl(text: string): Remote {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !PROTOCOLS.has(url.protocol)) throw refused("has an unsupported scheme")
  if (url.hostname === "" || url.hostname.startsWith("-") || url.username.startsWith("-")) throw refused("has no host")
  if (url.protocol === "ssh:" || url.protocol === "git:") {
    if (!GIT_URL.test(text))
      throw refused("contains a password, or a host that git might parse differently than this server")
    return { url: text }
  }
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
  return new AppError("repository_error", `The repository's URL ${reason}.`)
}
