import { normalize } from "node:path/posix"
import { fileURLToPath, pathToFileURL } from "node:url"
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

/** `user@host:path`, as ssh has it. A user with a leading hyphen would be an option for ssh. */
const SCP_LIKE = /^[A-Za-z0-9_][\w.-]*@([A-Za-z0-9][\w.-]*|\[[0-9A-Fa-f:.]+\]):[^-].*$/s

/** URLs that git reads as others do. It decodes the whole of one before it looks for the host, and knows no query. */
const GIT_URL = /^(?:ssh:\/\/(?:[A-Za-z0-9_][\w.-]*@)?|git:\/\/)([A-Za-z0-9][\w.-]*|\[[0-9A-Fa-f:.]+\])(?::\d+)?\/.*$/is

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
    return { url: text.startsWith("/") ? text : parseFileUrl(text) }
  }
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text)) return parseUrl(text)
  if (SCP_LIKE.test(text)) return { url: text }
  throw refused("is neither a URL nor user@host:path")
}

/** The host that git connects to; undefined for a folder of this machine. */
export function hostOf({ url }: Remote): string | undefined {
  if (isHttp(url)) return new URL(url).hostname
  return (GIT_URL.exec(url) ?? SCP_LIKE.exec(url))?.[1]?.replace(/^\[|\]$/g, "")
}

/** Whether git speaks HTTP with the remote. */
export function isHttp(url: string): boolean {
  return /^https?:/i.test(url)
}

/** Whether two remotes are the same, however their folders are written. */
export function isSameRemote(a: string, b: string): boolean {
  return a === b || (a.startsWith("/") && plainFolder(a) === plainFolder(b))
}

function plainFolder(path: string): string {
  return normalize(path).replace(/(?<=.)\/$/, "")
}

/** The folder of this machine that a remote is; undefined for one on the network. */
export function folderOf({ url }: Remote): string | undefined {
  if (url.startsWith("/")) return url
  return url.startsWith("file:") ? fileURLToPath(url) : undefined
}

/** The URL in the one form in which git opens the same folder as everybody else: git knows neither queries nor fragments. */
function parseFileUrl(text: string): string {
  try {
    if (!/[?#]/.test(text)) return pathToFileURL(fileURLToPath(text)).href
  } catch {
    // It is no URL of a file.
  }
  throw refused("is no URL of a folder")
}

function parseUrl(text: string): Remote {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !PROTOCOLS.has(url.protocol)) throw refused("has an unsupported scheme")
  if (url.hostname === "" || url.hostname.startsWith("-") || url.username.startsWith("-")) throw refused("has no host")
  if (url.protocol === "ssh:" || url.protocol === "git:") {
    if (!GIT_URL.test(text)) throw refused("has a password, or a host that git might read otherwise")
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
  return new AppError("repository_error", `The repository's address ${reason}.`)
}
