import type { PreviewGrant } from "@switchyard/core/sessions/previews/preview-host"

/** The one path of a preview's host that isn't a file's: no workspace has a path with two slashes. */
export const REPORTER_PATH = "/-//reporter.js"

/** The script that reports a page's errors to the studio that frames it. */
export function reporterCode(studioOrigins: string[], { external }: PreviewGrant): string {
  return `(${reportToStudio})(${JSON.stringify({ studioOrigins, external })})`
}

/**
 * The page with that script before all others. It stands behind the doctype and what may precede it, and takes no line of its
 * own, so errors keep their lines. Browsers put it into the head, whether there is one or not.
 */
export function withReporter(html: Buffer): Buffer<ArrayBuffer> {
  const at = afterDoctype(html.toString("latin1"))
  const script = Buffer.from(`<script src="${REPORTER_PATH}"></script>`)
  return Buffer.concat([html.subarray(0, at), script, html.subarray(at)])
}

/** The offset behind blanks, comments and a doctype at the beginning. */
function afterDoctype(html: string): number {
  let at = html.startsWith("\u00ef\u00bb\u00bf") ? 3 : 0
  for (;;) {
    while (/\s/.test(html.charAt(at))) at++
    if (html.startsWith("<!--", at)) {
      const end = html.indexOf("-->", at)
      if (end < 0) return at
      at = end + "-->".length
      continue
    }
    const isDoctype = /^<!doctype$/i.test(html.slice(at, at + "<!doctype".length))
    const end = isDoctype ? html.indexOf(">", at) : -1
    return end < 0 ? at : end + 1
  }
}

interface ReporterSettings {
  studioOrigins: string[]
  external: boolean
}

/**
 * Runs in the page, so it is sent as its text, and may use nothing from around it. Reports wait until the studio says hello:
 * then they go to its origin and no other. The page can send the same messages, so the studio takes them for the page's word.
 */
function reportToStudio({ studioOrigins, external }: ReporterSettings): void {
  // A page that asks whether there are service workers hears that there are none, as is true here.
  Reflect.deleteProperty(Navigator.prototype, "serviceWorker")
  const studio = window.parent
  if (studio === window) return
  const stores = provideStorage()
  const MAX_REPORTS = 200
  const MAX_CHARS = 2000
  const waiting: object[] = []
  const { stringify } = JSON
  let target: string | undefined
  let sent = 0

  /** Some browsers give a frame of another site no storage. The page then has one until it is left. Returns whether it's real. */
  function provideStorage(): boolean {
    try {
      return window.localStorage !== null
    } catch {
      for (const name of ["localStorage", "sessionStorage"]) {
        const items = new Map<string, string>()
        const value = {
          getItem: (key: unknown) => items.get(String(key)) ?? null,
          setItem: (key: unknown, item: unknown) => void items.set(String(key), String(item)),
          removeItem: (key: unknown) => void items.delete(String(key)),
          clear: () => items.clear(),
          key: (index: number) => [...items.keys()][index] ?? null,
          get length() {
            return items.size
          },
        }
        Object.defineProperty(window, name, { value, configurable: true })
      }
      return false
    }
  }
  function send(report: object) {
    if (target === undefined) waiting.push(report)
    else studio.postMessage({ switchyard: "preview", ...report }, target)
  }
  function report(kind: string, text: string, place: { file?: string; line?: number }) {
    if (sent++ < MAX_REPORTS) send({ kind, text: text.slice(0, MAX_CHARS), ...place })
  }
  /** The first place in a stack that is in a file. */
  function placeOf(stack: unknown): { file?: string; line?: number } {
    const frames = String(stack ?? "").split("\n")
    for (const frame of frames) {
      const place = frame.slice(Math.max(0, frame.indexOf("http")))
      const [, file, line] = /^(http[^\s()]+?):(\d{1,7})(?::\d{1,7})?\)?$/.exec(place) ?? []
      if (file && !file.endsWith("/-//reporter.js")) return { file, line: Number(line) }
    }
    return {}
  }
  function textOf(value: unknown): string {
    if (typeof value === "string") return value
    if (value instanceof Error) return `${value.name}: ${value.message}`
    try {
      return stringify(value) ?? String(value)
    } catch {
      return String(value)
    }
  }

  window.addEventListener("message", (event) => {
    if (event.source !== studio || !studioOrigins.includes(event.origin)) return
    if (event.data?.switchyard !== "hello") return
    event.stopImmediatePropagation()
    target = event.origin
    send({ kind: "page", path: location.pathname + location.search, stores })
    for (const each of waiting.splice(0)) send(each)
  })
  window.addEventListener(
    "error",
    (event) => {
      const { target: element } = event
      if (element instanceof Element) {
        const url = element.getAttribute("src") ?? element.getAttribute("href") ?? ""
        const address = URL.parse(url, document.baseURI)
        // Those of other sites are told by the policy that forbids them.
        if (!external && address && address.origin !== location.origin) return
        const name = element.localName
        report("load", `<${name}> could not load ${url}`, { file: location.href })
        return
      }
      const place = event.filename ? { file: event.filename, line: event.lineno } : placeOf(event.error?.stack)
      report("error", event.message, place)
    },
    true,
  )
  window.addEventListener("unhandledrejection", ({ reason }) => {
    report("rejection", `Unhandled rejection: ${textOf(reason)}`, placeOf(reason?.stack))
  })
  document.addEventListener("securitypolicyviolation", ({ blockedURI, sourceFile, lineNumber }) => {
    report("blocked", blockedURI, { file: sourceFile, line: lineNumber })
  })
  const { error: log } = console
  console.error = (...values: unknown[]) => {
    const thrown = values.find((value) => value instanceof Error)
    report("console", values.map(textOf).join(" "), placeOf(thrown?.stack ?? new Error().stack))
    log.apply(console, values)
  }
}
