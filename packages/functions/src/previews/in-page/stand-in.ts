/**
 * Replaces features that throw in a page without an origin: storage, cookies, workers and changes of the page's path
 * through the history API. Also redirects requests for root-relative paths to `root`. The function's source is sent to
 * the page, so the function must not use outer variables.
 */
export function standIn(root: string, createStorage: () => object): void {
  const define = (target: object, name: string, property: PropertyDescriptor) =>
    Object.defineProperty(target, name, { configurable: true, enumerable: true, ...property })

  /** Moves a URL on the page's host below the root. Returns other URLs unchanged. */
  function below<T>(given: T): T | string {
    const address = URL.parse(String(given), document.baseURI)
    if (address?.origin !== location.origin || address.pathname.startsWith(root)) return given
    return `${root}${address.pathname.slice(1)}${address.search}${address.hash}`
  }

  /** Returns a `cookie` property that stores cookies but never sends them. */
  function cookies(): PropertyDescriptor {
    const jar = new Map<string, string>()
    return {
      get: () => [...jar].map(([name, value]) => (name === "" ? value : `${name}=${value}`)).join("; "),
      set(given: unknown) {
        const [pair = "", ...attributes] = String(given).split(";")
        const at = pair.indexOf("=")
        const name = pair.slice(0, Math.max(0, at)).trim()
        const ends = attributes.map((attribute) => attribute.trim().split("=", 2))
        const isOver = ends.some(([key = "", value = ""]) => {
          if (/^max-age$/i.test(key)) return Number(value) <= 0
          return /^expires$/i.test(key) && Date.parse(value) <= Date.now()
        })
        if (isOver) jar.delete(name)
        else jar.set(name, pair.slice(at + 1).trim())
      },
    }
  }

  /** Makes an element's property, and the attribute with the same name, accept root-relative URLs. */
  function rootProperty(prototype: object, name: string): void {
    const own = Object.getOwnPropertyDescriptor(prototype, name)
    if (!own?.set) return
    const { set } = own
    define(prototype, name, {
      ...own,
      set(this: Element, given: unknown) {
        const address = below(given)
        lookInto(this, address)
        set.call(this, address)
      },
    })
  }

  const isOwn = (address: unknown) => URL.parse(String(address), document.baseURI)?.origin === location.origin

  /**
   * Marks an element that loads one of the page's own files as `crossorigin`. Without this attribute, the page can't
   * see errors in its own scripts or read the pixels of its own images.
   */
  function lookInto(element: Element, address: unknown): void {
    if (!isOwn(address) || element.hasAttribute("crossorigin")) return
    if (/^(?:script|link|img|audio|video)$/.test(element.localName)) setAttribute.call(element, "crossorigin", "")
  }

  const { setAttribute } = Element.prototype
  Element.prototype.setAttribute = function (this: Element, name: string, value: string) {
    const given = /^(?:src|href|action|poster)$/i.test(name) ? below(value) : value
    if (/^(?:src|href)$/i.test(name)) lookInto(this, given)
    setAttribute.call(this, name, given)
  }
  for (const [type, name] of [
    [HTMLScriptElement, "src"],
    [HTMLImageElement, "src"],
    [HTMLMediaElement, "src"],
    [HTMLSourceElement, "src"],
    [HTMLIFrameElement, "src"],
    [HTMLLinkElement, "href"],
    [HTMLAnchorElement, "href"],
    [HTMLFormElement, "action"],
  ] as const) {
    rootProperty(type.prototype, name)
  }

  for (const name of ["localStorage", "sessionStorage"]) define(window, name, { value: createStorage() })
  define(document, "cookie", cookies())

  const { fetch } = window
  window.fetch = (given, options) => {
    const asked = given instanceof Request ? given.url : given
    const address = below(asked)
    const input = given instanceof Request ? (address === asked ? given : new Request(address, given)) : address
    // The page has no credentials. Browsers would reject the response to a request that includes credentials.
    return fetch(input, isOwn(address) ? { ...options, credentials: "omit" } : options)
  }
  const { open } = XMLHttpRequest.prototype
  XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...[method, url, ...rest]: Parameters<typeof open>) {
    open.call(this, method, below(url), ...rest)
  } as typeof open

  for (const name of ["pushState", "replaceState"] as const) {
    const change = history[name]
    history[name] = (state: unknown, unused: string, url?: string | URL | null) => {
      const address = url === undefined || url === null ? url : below(url)
      try {
        change.call(history, state, unused, address)
      } catch (error) {
        if (!(error instanceof DOMException) || error.name !== "SecurityError") throw error
        change.call(history, state, unused)
      }
    }
  }

  const RealWorker = window.Worker
  window.Worker = class extends RealWorker {
    constructor(given: string | URL, options?: WorkerOptions) {
      const address = new URL(String(below(given)), document.baseURI).href
      if (/^(?:blob|data):/.test(address)) super(address, options)
      else {
        const at = JSON.stringify(address)
        const isModule = options?.type === "module"
        const relative = `{const f=fetch,s=self.importScripts,to=(u)=>new URL(u,${at}).href;
self.fetch=(i,o)=>f(i instanceof Request?i:to(i),o);self.importScripts=(...u)=>s(...u.map(to))}`
        const code = isModule ? `import ${at}` : `${relative};importScripts(${at})`
        super(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), options)
      }
    }
  }
}
