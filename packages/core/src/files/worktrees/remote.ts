import { normalize } from "node:path/posix"
import { fileURLToPath, pathToFileURL } from "node:url"
import { AppError } from "../../errors.ts"

/** Credentials for a remote, never stored in its URL, in an event, or in a file of the clone. */
export interface RemoteCredentials {
  username: string
  password: string
}

/** URL that a repository is cloned from, with the credentials given with it. */
export interface Remote {
  url: string
  credentials?: RemoteCredentials
}

/** `user@host:path`, as in ssh. A leading hyphen in the user would be an option for ssh. */
const SCP_LIKE = /^[A-Za-z0-9_][\w.-]*@([A-Za-z0-9][\w.-]*|\[[0-9A-Fa-f:.]+\]):[^-].*$/s

/**
 * URLs that git reads like other programs do. Git decodes the whole URL before looking for the host, and ignores
 * queries.
 */
const GIT_URL = /^(?:ssh:\/\/(?:[A-Za-z0-9_][\w.-]*@)?|git:\/\/)([A-Za-z0-9][\w.-]*|\[[0-9A-Fa-f:.]+\])(?::\d+)?\/.*$/is

const PROTOCOLS = new Set(["https:", "http:", "ssh:", "git:"])

/**
 * Parses a repository's URL. Refuses text that git would take for an option or a program to run, and local folders
 * unless callers may use them.
 */
export function parseRemote(input: string, { local }: { local: boolean }): Remote {
  const text = input.trim()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  if (text === "" || /[\x00-\x1f\x7f]/.test(text)) throw refused("is empty or has control characters")
  if (text.startsWith("-")) throw refused("begins with a hyphen")
  if (/^[A-Za-z0-9+.-]+::/.test(text)) throw refused("names a program to run")
  if (text.startsWith("/") || text.startsWith("file:///")) {
    if (!local) throw refused("is a folder of the server")
    return { url: text.startsWith("/") ? text : parseFileUrl(text) }
  }
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text)) return parseUrl(text)
  if (SCP_LIKE.test(text)) return { url: text }
  throw refused("is neither a URL nor user@host:path")
}

/** Returns the host that git connects to, or undefined for a local folder. */
export function hostOf({ url }: Remote): string | undefined {
  if (isHttp(url)) return new URL(url).hostname
  return (GIT_URL.exec(url) ?? SCP_LIKE.exec(url))?.[1]?.replace(/^\[|\]$/g, "")
}

/** True if git uses HTTP for the remote. */
export function isHttp(url: string): boolean {
  return /^https?:/i.test(url)
}

/** True if two remotes are the same, however their folders are written. */
export function isSameRemote(a: string, b: string): boolean {
  return a === b || (a.startsWith("/") && plainFolder(a) === plainFolder(b))
}

function plainFolder(path: string): string {
  return normalize(path).replace(/(?<=.)\/$/, "")
}

/** Returns a remote's local folder, or undefined for a remote on the network. */
export function folderOf({ url }: Remote): string | undefined {
  if (url.startsWith("/")) return url
  return url.startsWith("file:") ? fileURLToPath(url) : undefined
}

/** Returns the URL in the one form that git and other programs read the same way. Git ignores queries and fragments. */
function parseFileUrl(text: string): string {
  try {
    if (!/[?#]/.test(text)) return pathToFileURL(fileURLToPath(text)).href
  } catch {
    // Not a file URL.
  }
  throw refused("is not a folder's URL")
}

function parseUrl(text: string): Remote {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !PROTOCOLS.has(url.protocol)) throw refused("has an unsupported scheme")
  if (url.hostname === "" || url.hostname.startsWith("-") || url.username.startsWith("-")) throw refused("has no host")
  if (url.protocol === "ssh:" || url.protocol === "git:") {
    if (!GIT_URL.test(text)) throw refused("has a password, or a host that git might read differently")
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
