export interface ReporterSettings {
  studioOrigins: string[]
  external: boolean
  /** The path below which its files are. */
  root: string
  /** Whether it has no origin, and a storage that isn't real already. */
  opaque: boolean
}

/**
 * Runs in the page, so it is sent as its text, and may use nothing from around it. Reports wait until the studio says hello:
 * then they go to its origin and no other. The page can send the same messages, so the studio takes them for the page's word.
 */
export function reportToStudio(settings: ReporterSettings, createStorage: () => object): void {
  const { studioOrigins, external, root, opaque } = settings
  // A page that asks whether there are service workers hears that there are none, as is true here.
  Reflect.deleteProperty(Navigator.prototype, "serviceWorker")
  const studio = window.parent
  if (studio === window) return
  const stores = !opaque && provideStorage()
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
