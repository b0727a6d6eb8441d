/** Browser function that drawing uses, saved before the page's scripts ran. */
// biome-ignore lint/suspicious/noExplicitAny: the result of any method
type Own = (target: object, ...values: unknown[]) => any

export interface DrawingFunctions {
  styleOf: typeof window.getComputedStyle
  propertyOf: Own
  parentOf(element: object): Element | null
  nameOf(element: object): string
  namespaceOf: Own
  attributeOf: Own
  attributeNamesOf: Own
  rectOf: Own
  childrenOf: Own
  kindOf: Own
  textContentOf: Own
  shadowOf: Own
  slottedIn: Own
  ownerSvgOf: Own
  create: Own
  setAttribute: Own
  decode: Own
  contextOf: Own
  draw: Own
  blobOf: Own
  urlOf: Own
  bytesOf: Own
}

/**
 * Draws an element as a PNG: converts its HTML and computed styles to an SVG, and draws the SVG on a canvas. Neither is
 * added to the document, so the document doesn't change. Omits the page's fonts, frames, and images from other sites.
 * Throws if the browser can't draw the element. The function's source is served to the page, so the function must not
 * use outer variables.
 */
export async function drawElement(selected: Element, own: DrawingFunctions): Promise<ArrayBuffer> {
  const MAX_SIDE = 1000
  const MAX_SCALE = 2
  const MAX_BYTES = 500_000
  const MAX_NODES = 800
  const MAX_DEPTH = 60
  const MAX_IMAGES = 20
  const MAX_IMAGE_SIDE = 800
  const MAX_VALUE_CHARS = 1000
  const LOAD_MS = 1500
  const HTML = "http://www.w3.org/1999/xhtml"
  const SVG = "http://www.w3.org/2000/svg"
  const EDGES = ["top", "right", "bottom", "left"]
  const PROPERTIES = [
    ..."display position top right bottom left z-index float clear box-sizing width height min-width min-height".split(
      " ",
    ),
    ..."max-width max-height aspect-ratio overflow-x overflow-y clip-path opacity visibility transform".split(" "),
    ..."transform-origin filter mix-blend-mode box-shadow object-fit object-position vertical-align".split(" "),
    ...EDGES.flatMap((edge) => [`margin-${edge}`, `padding-${edge}`]),
    ...EDGES.flatMap((edge) => ["width", "style", "color"].map((part) => `border-${edge}-${part}`)),
    ..."border-top-left-radius border-top-right-radius border-bottom-left-radius border-bottom-right-radius".split(" "),
    ..."border-collapse border-spacing table-layout caption-side outline-width outline-style outline-color".split(" "),
    ..."outline-offset background-color background-image background-size background-position background-repeat".split(
      " ",
    ),
    ..."background-origin background-clip flex-direction flex-wrap flex-grow flex-shrink flex-basis order".split(" "),
    ..."justify-content justify-items justify-self align-items align-content align-self row-gap column-gap".split(" "),
    ..."grid-template-columns grid-template-rows grid-auto-flow grid-column-start grid-column-end".split(" "),
    ..."grid-row-start grid-row-end column-count column-width color font-family font-size font-weight".split(" "),
    ..."font-style font-variant font-stretch line-height letter-spacing word-spacing text-align text-indent".split(" "),
    ..."text-transform text-decoration-line text-decoration-color text-decoration-style text-shadow".split(" "),
    ..."text-overflow white-space word-break overflow-wrap direction writing-mode tab-size".split(" "),
    ..."list-style-type list-style-position appearance accent-color color-scheme".split(" "),
    ..."-webkit-text-fill-color -webkit-line-clamp -webkit-box-orient".split(" "),
  ]
  const PAINT = [
    ..."fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin".split(" "),
    ..."stroke-dasharray stroke-dashoffset stop-color stop-opacity color opacity visibility display".split(" "),
    ..."transform transform-origin font-family font-size font-weight text-anchor dominant-baseline".split(" "),
  ]
  /** Attributes that affect an element's appearance regardless of its styles. */
  const KEPT = ["colspan", "rowspan", "start", "open", "placeholder"]
  const SKIPPED = /^(?:script|style|template|noscript|link|meta|head|title|base|source|track|area|param)$/
  let nodes = 0
  let images = 0

  function escaped(text: unknown): string {
    return String(text ?? "")
      .toWellFormed()
      .replace(/[^\t\n\r\x20-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
      .replace(/&/g, "&amp;")
      .replace(/</g, "&lt;")
      .replace(/>/g, "&gt;")
      .replace(/"/g, "&quot;")
  }

  /**
   * Returns the pixels of an image, canvas or video as a data URI. Undefined if there are no pixels, if the page isn't
   * allowed to read them, or if MAX_IMAGES images have been read.
   */
  function pixelsOf(source: object, width: number, height: number): string | undefined {
    if (!(width > 0 && height > 0) || images++ >= MAX_IMAGES) return undefined
    const scale = Math.min(1, MAX_IMAGE_SIDE / Math.max(width, height))
    try {
      const { canvas, context } = canvasOf(width * scale, height * scale)
      own.draw(context, source, 0, 0, width * scale, height * scale)
      return own.urlOf(canvas)
    } catch {
      return undefined
    }
  }

  function canvasOf(width: number, height: number) {
    const canvas = own.create(document, "canvas")
    own.setAttribute(canvas, "width", String(Math.max(1, Math.round(width))))
    own.setAttribute(canvas, "height", String(Math.max(1, Math.round(height))))
    return { canvas, context: own.contextOf(canvas, "2d") }
  }

  /** Returns a background that works inside an SVG, which can't load other files. */
  async function backgroundOf(value: string): Promise<string> {
    const url = /url\("([^"]{1,10000})"\)/.exec(value)?.[1]
    if (!url) return value.includes("url(") ? "none" : value
    const address = URL.parse(url, document.baseURI)
    if (address?.protocol !== "data:" && address?.origin !== location.origin) return "none"
    const image = own.create(document, "img")
    own.setAttribute(image, "crossorigin", "anonymous")
    own.setAttribute(image, "src", address.href)
    const late = new Promise((_, reject) => setTimeout(reject, LOAD_MS))
    const isLoaded = await Promise.race([own.decode(image), late]).then(
      () => true,
      () => false,
    )
    const pixels = isLoaded ? pixelsOf(image, image.naturalWidth, image.naturalHeight) : undefined
    return pixels === undefined ? "none" : `url("${pixels}")`
  }

  async function styleText(element: Element, names: string[], pseudo?: string): Promise<string> {
    const style = own.styleOf(element, pseudo)
    let text = ""
    for (const name of names) {
      const value: string = own.propertyOf(style, name)
      if (name === "background-image") text += `${name}:${await backgroundOf(value)};`
      else if (value.length < MAX_VALUE_CHARS && !value.includes("url(")) text += `${name}:${value};`
    }
    return text
  }

  /** Returns markup for the text that an element's styles add before or after its content. */
  async function added(element: Element, pseudo: "::before" | "::after"): Promise<string> {
    const content: string = own.propertyOf(own.styleOf(element, pseudo), "content")
    if (content === "none" || content === "normal" || content === "") return ""
    const text = content.startsWith('"') ? content.slice(1, -1).replace(/\\(.)/g, "$1") : ""
    return `<span style="${escaped(await styleText(element, PROPERTIES, pseudo))}">${escaped(text)}</span>`
  }

  async function childrenOf(element: Element, depth: number): Promise<string> {
    const shadow = own.shadowOf(element)
    const slotted: Node[] = own.nameOf(element) === "slot" ? own.slottedIn(element) : []
    let text = ""
    for (const child of slotted.length > 0 ? slotted : own.childrenOf(shadow ?? element)) {
      const kind = own.kindOf(child)
      if (kind === 3) text += escaped(own.textContentOf(child))
      if (kind === 1) text += await markupOf(child, depth + 1)
    }
    return text
  }

  async function svgMarkup(element: Element, depth: number): Promise<string> {
    const name = own.nameOf(element)
    const attributes: string[] = own.attributeNamesOf(element).filter((attribute: string) => {
      const isReference = /href$/.test(attribute) && !own.attributeOf(element, attribute).startsWith("#")
      return /^[a-z][\w-]*$/i.test(attribute) && !/^(?:on|style$|class$|xmlns)/i.test(attribute) && !isReference
    })
    const kept = attributes.map((one) => ` ${one}="${escaped(own.attributeOf(element, one))}"`).join("")
    const style = await styleText(element, name === "svg" ? [...PROPERTIES, ...PAINT] : PAINT)
    const children = await childrenOf(element, depth)
    return `<${name} xmlns="${SVG}"${kept} style="${escaped(style)}">${children}</${name}>`
  }

  /** Returns an element as well-formed XML with its styles. */
  async function markupOf(element: Element, depth = 0, extra = ""): Promise<string> {
    const name = own.nameOf(element)
    if (SKIPPED.test(name) || !/^[a-z][\w.-]*$/i.test(name) || depth > MAX_DEPTH || nodes++ > MAX_NODES) return ""
    const namespace = own.namespaceOf(element)
    if (namespace === SVG) return svgMarkup(element, depth)
    if (namespace !== HTML) return escaped(own.textContentOf(element))
    const style = escaped((await styleText(element, PROPERTIES)) + extra)
    if (/^(?:iframe|object|embed|audio)$/.test(name))
      return `<div xmlns="${HTML}" style="${style}background:#ddd"></div>`
    // biome-ignore lint/suspicious/noExplicitAny: the element's own properties, by its name
    const one = element as any
    if (/^(?:img|canvas|video)$/.test(name)) {
      const width = one.naturalWidth ?? (one.videoWidth || one.width)
      const height = one.naturalHeight ?? (one.videoHeight || one.height)
      const pixels = pixelsOf(element, width, height)
      return pixels === undefined
        ? `<div xmlns="${HTML}" style="${style}background:#ddd"></div>`
        : `<img xmlns="${HTML}" src="${pixels}" style="${style}" />`
    }
    let attributes = ""
    for (const kept of KEPT) {
      const value = own.attributeOf(element, kept)
      if (value !== null) attributes += ` ${kept}="${escaped(value)}"`
    }
    if (name === "input") {
      const value = one.type === "password" ? "x".repeat(Math.min(40, one.value.length)) : one.value
      const type = /^(?:file|hidden|image)$/.test(one.type) ? "text" : one.type
      const checked = one.checked ? ' checked=""' : ""
      const field = ` type="${escaped(type)}" value="${escaped(value)}"${checked}`
      return `<input xmlns="${HTML}"${attributes}${field} style="${style}" />`
    }
    const content =
      name === "textarea"
        ? escaped(one.value)
        : name === "select"
          ? `<option>${escaped(one.selectedOptions[0]?.label)}</option>`
          : (await added(element, "::before")) + (await childrenOf(element, depth)) + (await added(element, "::after"))
    return `<${name} xmlns="${HTML}"${attributes} style="${style}">${content}</${name}>`
  }

  /** Returns the color behind an element. Without this color, white text from a dark page would be drawn on white. */
  function backdropOf(element: Element): string {
    for (let at = own.parentOf(element); at; at = own.parentOf(at)) {
      const color: string = own.propertyOf(own.styleOf(at), "background-color")
      if (color !== "transparent" && !/, 0\)$/.test(color)) return color
    }
    return "#fff"
  }

  const element: Element = own.ownerSvgOf(selected) ?? selected
  const { width, height } = own.rectOf(element)
  if (!(width > 0 && height > 0)) throw new Error("The element has no size.")
  const display = own.propertyOf(own.styleOf(element), "display") === "inline" ? "display:inline-block;" : ""
  const reset = `${display}margin:0;position:relative;inset:auto;float:none;transform:none;min-width:0;max-width:none;max-height:none;box-sizing:border-box;width:${width}px;height:${height}px`
  const markup = await markupOf(element, 0, reset)
  for (let scale = Math.min(MAX_SCALE, MAX_SIDE / width), tries = 0; tries < 4; scale *= 0.6, tries++) {
    const shownHeight = Math.min(height, MAX_SIDE / scale)
    const { canvas, context } = canvasOf(width * scale, shownHeight * scale)
    const size = `width="${Math.ceil(width * scale)}" height="${Math.ceil(shownHeight * scale)}"`
    const frame = `width:${width}px;height:${height}px;overflow:hidden;background:${escaped(backdropOf(element))}`
    const svg = `<svg xmlns="${SVG}" ${size} viewBox="0 0 ${width} ${shownHeight}"><foreignObject width="${width}" height="${height}"><div xmlns="${HTML}" style="${frame}">${markup}</div></foreignObject></svg>`
    const image = own.create(document, "img")
    own.setAttribute(image, "src", `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`)
    await own.decode(image)
    own.draw(context, image, 0, 0)
    const blob = await new Promise<Blob | null>((resolve) => own.blobOf(canvas, resolve, "image/png"))
    if (blob && blob.size <= MAX_BYTES) return own.bytesOf(blob)
  }
  throw new Error("The picture is too large.")
}
