// Collects faults of a page opened in a browser. Plain JavaScript, because any version of Node must be able to run it.

const MAX_OF_A_KIND = 9
const MAX_LINE = 500
const MAX_CHARS = 800

/** Domains of the DevTools protocol that report faults. */
export const DOMAINS = ["Runtime", "Network", "Log"]

/**
 * Collects faults of the page at this URL from now on: `errors` that the page throws; `faults`, its own files that are
 * missing or blocked, which break it without an error; and `others`, other hosts that the page contacts.
 *
 * @param {(method: string, listener: (params: any) => void) => void} on
 * @param {string} page
 * @returns {{ errors: string[], faults: string[], others: Set<string> }}
 */
export function collectFaults(on, page) {
  const [errors, faults, others] = [[], [], new Set()]
  const addresses = new Map()
  const root = new URL("/", page).href

  on("Runtime.exceptionThrown", ({ exceptionDetails: { exception, text, url, lineNumber } }) => {
    const words = firstLine(exception?.description ?? `${text} ${exception?.value ?? ""}`)
    add(errors, `${words} (${ownName(url) || "the page"}, line ${lineNumber + 1})`)
  })
  on("Network.webSocketCreated", ({ url }) => noteHost(url))
  on("Network.requestWillBeSent", ({ requestId, request: { url } }) => {
    addresses.set(requestId, url)
    noteHost(url)
  })
  on("Network.responseReceived", ({ type, response: { url, status, mimeType } }) => {
    if (!isNeeded(type, url)) return
    if (status >= 400) add(faults, `${ownName(url)} is missing: the response had status ${status}`)
    else if (type === "Stylesheet" && mimeType === "text/html")
      add(faults, `${ownName(url)} is missing: the response was a page`)
  })
  on("Network.loadingFailed", ({ requestId, type, canceled, blockedReason, errorText }) => {
    const url = addresses.get(requestId)
    if (!canceled && isNeeded(type, url)) add(faults, `${ownName(url)} can't be loaded: ${blockedReason ?? errorText}`)
  })
  // Refusing to run a script doesn't raise an exception, so read the browser's log.
  on("Log.entryAdded", ({ entry: { source, level, text, url } }) => {
    const isRefused = source === "javascript" || (source === "security" && REFUSED_SCRIPT.test(text))
    if (level === "error" && isRefused) add(faults, `${firstLine(text)} (${ownName(url) || "the page"})`)
  })

  function noteHost(address) {
    const { protocol, host } = new URL(address)
    if (/^(https?|wss?):$/.test(protocol) && host !== new URL(page).host) others.add(host)
  }

  /** Returns the name of one of the page's own files, or "" for any other. */
  function ownName(url) {
    return url?.startsWith(root) ? decode(url.slice(root.length)) : ""
  }

  function isNeeded(type, url) {
    return (type === "Script" || type === "Stylesheet") && ownName(url) !== ""
  }

  return { errors, faults, others }
}

/** Matches violations of the page's own policy. Skips report-only policies, which don't block anything. */
const REFUSED_SCRIPT = /^(?!\[Report Only\]).*violates the following Content Security Policy directive:? ["']script-src/

function add(list, words) {
  if (list.length < MAX_OF_A_KIND && !list.includes(words)) list.push(words.slice(0, MAX_CHARS))
}

function firstLine(words) {
  return words.split("\n")[0].slice(0, MAX_LINE)
}

function decode(path) {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
