import type { LoadDrawing } from "./create-inspector.ts"

export interface ReporterSettings {
  studioOrigins: string[]
  external: boolean
  /** Path of the folder that contains the page's files. */
  root: string
  /** True if the page has no origin. In that case, its storage has already been replaced. */
  opaque: boolean
}

/** Functions that the reporter uses. Their sources are sent to the page together with the reporter's. */
export interface ReporterParts {
  createStorage(): object
  createInspector(root: string, loadDrawing: LoadDrawing): (port: MessagePort) => void
  loadDrawing: LoadDrawing
}

/**
 * Reports the page's errors to the studio, and lets the studio select elements. The function's source is sent to the
 * page, so the function must not use outer variables. Reports wait for the studio's first message and are then sent
 * only to its origin. The page itself can send the same messages, so the studio trusts them no more than the page.
 */
export function reportToStudio(
  settings: ReporterSettings,
  { createStorage, createInspector, loadDrawing }: ReporterParts,
): void {
  const { studioOrigins, external, root, opaque } = settings
  // Hide service workers from the page's feature detection, because previews don't support them.
  Reflect.deleteProperty(Navigator.prototype, "serviceWorker")
  const studio = window.parent
  if (studio === window) return
  const stores = !opaque && provideStorage()
  const inspect = createInspector(root, loadDrawing)
  const MAX_REPORTS = 200
  const MAX_CHARS = 2000
  const waiting: object[] = []
  const { stringify } = JSON
  let target: string | undefined
  let sent = 0

  /**
   * Provides a storage object if the browser denies storage to frames from another site. Returns true if the browser's
   * own storage is available.
   */
  function provideStorage(): boolean {
    try {
      return window.localStorage !== null
    } catch {
      for (const name of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(window, name, { value: createStorage(), configurable: true })
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
  /** Returns the first position in a stack trace that is in a file other than this script. */
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
    const kind = event.data?.switchyard
    const [port] = event.ports
    if (kind !== "hello" && kind !== "inspect") return
    event.stopImmediatePropagation()
    if (kind === "inspect") return port && inspect(port)
    target = event.origin
    send({ kind: "page", path: `/${location.pathname.slice(root.length)}${location.search}`, stores })
    for (const each of waiting.splice(0)) send(each)
  })
  window.addEventListener(
    "error",
    (event) => {
      const { target: element } = event
      if (element instanceof Element) {
        const url = element.getAttribute("src") ?? element.getAttribute("href") ?? ""
        const address = URL.parse(url, document.baseURI)
        // Skip files from other sites, because the policy's violation reports already cover them.
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
  // Report failed requests here, because scripts often ignore a response's status.
  new PerformanceObserver((list) => {
    for (const { name, initiatorType, responseStatus } of list.getEntries() as PerformanceResourceTiming[]) {
      const address = URL.parse(name)
      if (responseStatus < 400 || address?.origin !== location.origin) continue
      if (initiatorType !== "fetch" && initiatorType !== "xmlhttprequest") continue
      report("request", `/${address.pathname.slice(root.length)}${address.search} answered ${responseStatus}`, {})
    }
  }).observe({ type: "resource", buffered: true })
  const { error: log } = console
  console.error = (...values: unknown[]) => {
    const thrown = values.find((value) => value instanceof Error)
    report("console", values.map(textOf).join(" "), placeOf(thrown?.stack ?? new Error().stack))
    log.apply(console, values)
  }
}
