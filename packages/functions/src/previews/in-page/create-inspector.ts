import type { DrawingFunctions, drawElement } from "./draw-element.ts"

/** Loads the function that draws an element. */
export type LoadDrawing = () => Promise<{ default: typeof drawElement }>

/**
 * Creates a function that answers the studio's questions about the page's elements, through a port. The studio draws
 * the outline and receives the pointer and the keys, so the page sees no events, and its document doesn't change.
 * `root` is the path of the folder that contains the page's files. The function's source is sent to the page, so the
 * function must not use outer variables. It runs before the page's scripts and keeps references to the browser's own
 * functions, because the page may replace them. The code that draws an element is loaded when a picture is needed.
 */
export function createInspector(root: string, loadDrawing: LoadDrawing): (port: MessagePort) => void {
  const MAX_TEXT_CHARS = 4000
  const MAX_DEPTH = 100
  const MAX_STEPS = 3000
  const MAX_ATTRIBUTES = 30
  const DRAWING_MS = 4000
  const { apply } = Reflect
  const { keys, getOwnPropertyDescriptor } = Object
  const { escape: escapeName } = CSS
  const styleOf = window.getComputedStyle

  // biome-ignore lint/suspicious/noExplicitAny: the value of any property
  function reader(prototype: object, name: string): (target: object) => any {
    const get = getOwnPropertyDescriptor(prototype, name)?.get
    return (target) => (get ? apply(get, target, []) : undefined)
  }
  // biome-ignore lint/suspicious/noExplicitAny: the result of any method
  function caller(prototype: object, name: string): (target: object, ...values: unknown[]) => any {
    const method = getOwnPropertyDescriptor(prototype, name)?.value
    return (target, ...values) => apply(method, target, values)
  }
  const post = caller(MessagePort.prototype, "postMessage")
  const listen = caller(EventTarget.prototype, "addEventListener")
  const start = caller(MessagePort.prototype, "start")
  const messageOf = reader(MessageEvent.prototype, "data")
  const parentOf = reader(Node.prototype, "parentElement") as (target: object) => Element | null
  const firstOf = reader(Element.prototype, "firstElementChild") as typeof parentOf
  const lastOf = reader(Element.prototype, "lastElementChild") as typeof parentOf
  const nextOf = reader(Element.prototype, "nextElementSibling") as typeof parentOf
  const previousOf = reader(Element.prototype, "previousElementSibling") as typeof parentOf
  const nameOf = reader(Element.prototype, "localName") as (target: object) => string
  const htmlOf = reader(Element.prototype, "outerHTML")
  const scrollTopOf = reader(Element.prototype, "scrollTop")
  const scrollLeftOf = reader(Element.prototype, "scrollLeft")
  const innerTextOf = reader(HTMLElement.prototype, "innerText")
  const textContentOf = reader(Node.prototype, "textContent")
  const isConnected = reader(Node.prototype, "isConnected")
  const bodyOf = reader(Document.prototype, "body")
  const rootOf = reader(Document.prototype, "documentElement")
  const scrollerOf = reader(Document.prototype, "scrollingElement")
  const svgOf = reader(SVGElement.prototype, "ownerSVGElement")
  const attributeOf = caller(Element.prototype, "getAttribute")
  const attributeNamesOf = caller(Element.prototype, "getAttributeNames")
  const rectOf = caller(Element.prototype, "getBoundingClientRect")
  const reveal = caller(Element.prototype, "scrollIntoView")
  const scrollBy = caller(Element.prototype, "scrollBy")
  const findAll = caller(Document.prototype, "querySelectorAll")
  const elementAt = caller(Document.prototype, "elementFromPoint")

  const drawing: DrawingFunctions = {
    // Wrap the function, because `getComputedStyle` must not be called as a method of this object.
    styleOf: (element, pseudo) => styleOf(element, pseudo),
    ...{ parentOf, nameOf, rectOf, attributeOf, attributeNamesOf, textContentOf },
    propertyOf: caller(CSSStyleDeclaration.prototype, "getPropertyValue"),
    namespaceOf: reader(Element.prototype, "namespaceURI"),
    childrenOf: reader(Node.prototype, "childNodes"),
    kindOf: reader(Node.prototype, "nodeType"),
    shadowOf: reader(Element.prototype, "shadowRoot"),
    slottedIn: caller(HTMLSlotElement.prototype, "assignedNodes"),
    create: caller(Document.prototype, "createElement"),
    setAttribute: caller(Element.prototype, "setAttribute"),
    decode: caller(HTMLImageElement.prototype, "decode"),
    contextOf: caller(HTMLCanvasElement.prototype, "getContext"),
    draw: caller(CanvasRenderingContext2D.prototype, "drawImage"),
    blobOf: caller(HTMLCanvasElement.prototype, "toBlob"),
    urlOf: caller(HTMLCanvasElement.prototype, "toDataURL"),
    bytesOf: caller(Blob.prototype, "arrayBuffer"),
    ownerSvgOf: (element) => (element instanceof SVGElement ? svgOf(element) : null),
  }

  const textOf = (value: unknown) => (typeof value === "string" ? value.slice(0, MAX_TEXT_CHARS) : undefined)

  let current: Element | null = null

  /** Returns how many earlier siblings of an element match. */
  function indexOf(element: Element, matches: (other: Element) => boolean): number {
    let index = 0
    for (let other = previousOf(element); other; other = previousOf(other)) if (matches(other)) index++
    return index
  }

  function selectorOf(element: Element): string {
    let selector = ""
    let depth = 0
    for (let at: Element | null = element; at && depth < MAX_DEPTH; at = parentOf(at), depth++) {
      const name = nameOf(at)
      const id = attributeOf(at, "id")
      const isUnique = typeof id === "string" && id !== "" && findAll(document, `#${escapeName(id)}`).length === 1
      const isAlike = (other: Element) => nameOf(other) === name
      const index = indexOf(at, isAlike)
      let hasAlike = index > 0
      for (let other = nextOf(at); other && !hasAlike; other = nextOf(other)) hasAlike = isAlike(other)
      const [, first] = /^\s*([\w-]{1,40})(?:\s|$)/.exec(attributeOf(at, "class") ?? "") ?? []
      const named = first ? `${name}.${escapeName(first)}` : name
      const part = isUnique ? `#${escapeName(id)}` : hasAlike ? `${named}:nth-of-type(${index + 1})` : named
      selector = selector === "" ? part : `${part} > ${selector}`
      if (isUnique || name === "body") break
    }
    return selector
  }

  /** Returns the tags and sibling positions of the element and its ancestors, starting at the document's root. */
  function pathOf(element: Element): { tag: string; index: number }[] {
    const path: { tag: string; index: number }[] = []
    for (let at: Element | null = element; at && path.length < MAX_DEPTH; at = parentOf(at)) {
      path[path.length] = { tag: nameOf(at), index: indexOf(at, () => true) }
    }
    return path.reverse()
  }

  function attributesOf(element: Element): [string, string | undefined][] {
    const names: string[] = attributeNamesOf(element).slice(0, MAX_ATTRIBUTES)
    return names.map((name) => [name, textOf(attributeOf(element, name))])
  }

  interface Source {
    file: string
    line?: number | undefined
  }

  /** Separates a file's path from the line and column that follow it. */
  function placeIn(value: unknown): Source | undefined {
    const [, file, line] = /^([^\n]{1,500}?):{1,2}(\d{1,7})(?::[^\n]{0,100})?$/.exec(String(value ?? "")) ?? []
    return file ? { file, line: Number(line) } : undefined
  }

  /**
   * Returns the element's source, as recorded by a build plugin in an attribute, or by a framework's development mode
   * in a property.
   */
  function ownSource(element: Element): Source | undefined {
    for (const [file, line] of [
      ["data-inspector-relative-path", "data-inspector-line"],
      ["data-astro-source-file", "data-astro-source-loc"],
      ["data-source-file", "data-source-line"],
    ] as const) {
      const path = attributeOf(element, file)
      if (path) return { file: path, line: Number.parseInt(attributeOf(element, line) ?? "", 10) }
    }
    for (const name of ["data-v-inspector", "data-insp-path", "data-source-loc", "data-locatorjs"]) {
      const place = placeIn(attributeOf(element, name))
      if (place) return place
    }
    // biome-ignore lint/suspicious/noExplicitAny: what a framework has added
    const extended = element as any
    const svelte = extended.__svelte_meta?.loc
    if (svelte) return { file: svelte.file, line: svelte.line }
    const vue = extended.__vueParentComponent?.type?.__file ?? extended.__vue__?.$options?.__file
    if (vue) return { file: vue }
    const fiberKey = keys(element).find((key) => key.startsWith("__reactFiber$"))
    const fiber = fiberKey && extended[fiberKey]
    const debug = fiber?._debugSource
    if (debug) return { file: debug.fileName, line: debug.lineNumber }
    // Ignore the line numbers in the stack, because they refer to the compiled file.
    const frames = String(fiber?._debugStack?.stack ?? "").split("\n", 20)
    const frame = frames.find((one) => one.includes("http") && !/node_modules|react|-\/\/reporter\.js/.test(one))
    const url = frame && /http[^\s()]{1,500}/.exec(frame)?.[0]
    const address = url && URL.parse(url.replace(/(?::\d{1,7}){1,2}$/, ""))
    return address ? { file: decodeURIComponent(address.pathname) } : undefined
  }

  /** Returns the element's source. If it has none, returns the file of the nearest ancestor that has one. */
  function sourceOf(element: Element): Source | undefined {
    let depth = 0
    for (let at: Element | null = element; at && depth < MAX_DEPTH; at = parentOf(at), depth++) {
      try {
        const source = ownSource(at)
        const file = textOf(source?.file)
        if (file) return { file, line: at === element ? Number(source?.line) : undefined }
      } catch {
        // The page may have replaced the properties' values.
      }
    }
    return undefined
  }

  function isVisible(element: Element): boolean {
    const { width, height } = rectOf(element)
    return width > 0 && height > 0 && !/^(?:script|style|template|br)$/.test(nameOf(element))
  }

  function following(element: Element): Element | null {
    const child = firstOf(element)
    if (child) return child
    for (let at: Element | null = element; at && at !== bodyOf(document); at = parentOf(at)) {
      const next = nextOf(at)
      if (next) return next
    }
    return null
  }

  function preceding(element: Element): Element | null {
    let at = previousOf(element)
    if (!at) return parentOf(element)
    for (let child = lastOf(at); child; child = lastOf(child)) at = child
    return at
  }

  function visibleChild(element: Element): Element | null {
    for (let at = firstOf(element); at; at = nextOf(at)) if (isVisible(at)) return at
    return null
  }

  /** Returns the visible element in that direction, or the same element if there is none. */
  function moved(from: Element, direction: unknown): Element {
    const body = bodyOf(document)
    if (direction === "parent") return from === body ? from : (parentOf(from) ?? from)
    if (direction === "child") return visibleChild(from) ?? from
    const step = direction === "previous" ? preceding : following
    let at: Element | null = from
    for (let steps = 0; at && steps < MAX_STEPS; steps++) {
      at = step(at)
      if (at === rootOf(document)) break
      if (at && isVisible(at)) return at
    }
    return from
  }

  /** Scrolls the innermost container at a point that can still scroll in this direction. */
  function scroll(point: { x: number; y: number; dx: number; dy: number }): void {
    const page = scrollerOf(document)
    for (let at: Element | null = elementAt(document, point.x, point.y) ?? page; at; at = parentOf(at)) {
      const { overflowX, overflowY } = styleOf(at)
      if (at !== page && !/auto|scroll/.test(`${overflowX} ${overflowY}`)) continue
      const before = [scrollLeftOf(at), scrollTopOf(at)]
      scrollBy(at, { left: point.dx, top: point.dy, behavior: "instant" })
      if (before[0] !== scrollLeftOf(at) || before[1] !== scrollTopOf(at)) return
    }
  }

  function boxOf(element: Element) {
    const { x, y, width, height } = rectOf(element)
    return { x, y, width, height }
  }

  /** Returns the text as the page shows it. Elements other than HTML elements only have their text content. */
  function shownTextOf(element: Element): unknown {
    try {
      return innerTextOf(element)
    } catch {
      return textContentOf(element)
    }
  }

  function described(element: Element) {
    return {
      selector: textOf(selectorOf(element)),
      text: textOf(shownTextOf(element)),
      html: textOf(htmlOf(element)),
      page: textOf(`/${location.pathname.slice(root.length)}`),
      path: pathOf(element),
      attributes: attributesOf(element),
      source: sourceOf(element),
    }
  }

  /** Sends a picture of the selected element. Omits the bytes if the element can't be drawn in time. */
  async function sendPicture(port: MessagePort, id: unknown, picked: Element | null): Promise<void> {
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, DRAWING_MS))
    const drawn = loadDrawing().then(({ default: draw }) => (picked ? draw(picked, drawing) : undefined))
    const picture = await Promise.race([drawn.catch(() => undefined), late])
    post(port, { id, picture }, picture ? [picture] : [])
  }

  return (port) => {
    // Each selection has its own port, so a selection can't receive the picture of another selection's element.
    let picked: Element | null = null
    listen(port, "message", (event: MessageEvent) => {
      const { id, at, move, pick, picture, scroll: by } = messageOf(event)
      if (picture) return void sendPicture(port, id, picked)
      if (by) scroll(by)
      const isFirst = current === null || !isConnected(current)
      if (at) current = elementAt(document, at.x, at.y)
      else if (isFirst) current = visibleChild(bodyOf(document))
      if (current && move) {
        // The first key press outlines the first element, instead of moving to the one after it.
        if (!isFirst) current = moved(current, move)
        reveal(current, { block: "nearest", inline: "nearest", behavior: "instant" })
      }
      if (current === null) return post(port, { id })
      const answer = { id, tag: nameOf(current), label: textOf(selectorOf(current)), box: boxOf(current) }
      if (pick) picked = current
      post(port, pick ? { ...answer, ...described(current) } : answer)
    })
    start(port)
  }
}
