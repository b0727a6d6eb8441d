import { type ColourName, colourNames, shadesOf } from "./colours.ts"

/** Changes to an element that a person selected. They are in the project record, so later changes keep them. */
export interface ElementChange {
  selector: string
  tag: string
  text?: string
  /** Position among the page's elements with this tag. Set if there is a text. */
  index?: number
  colour?: ColourName | `#${string}`
  /** True if the colour is that of the background. */
  isBackground?: boolean
  zoom?: number
  isBold?: boolean
  isRound?: boolean
  isHidden?: true
}

const part = String.raw`[a-z][a-z\d]*(?:\.[\w\p{L}-]+)?(?::nth-of-type\(\d+\))?`
const selectors = new RegExp(`^(?:#[\\w\\p{L}-]+|${part})(?: > ${part})*$`, "u")

/** True for selectors of ids, tags, single classes and positions. They can't end the rule that they begin. */
export function isPlainSelector(selector: string): boolean {
  return selector.length <= 400 && selectors.test(selector)
}

export const MAX_TEXT_CHARS = 200

/** Returns a text on one line, without control characters and changes of direction. */
export function plainLine(text: string): string {
  const line = text.toWellFormed().replace(/[\p{Cc}\s]+/gu, " ")
  return line.replace(/[\u202a-\u202e\u2066-\u2069]/g, "").trim()
}

/** Returns a valid change with its keys in a fixed order, because records are compared as text. Else returns nothing. */
export function parseChange(value: unknown): ElementChange[] {
  const { selector, tag, text, index, colour, isBackground, zoom, isBold, isRound, isHidden } = Object(value)
  const isKnown = typeof selector === "string" && isPlainSelector(selector)
  if (!isKnown || typeof tag !== "string" || !/^[a-z][a-z\d]*$/.test(tag)) return []
  const isText = typeof text === "string" && text.length <= MAX_TEXT_CHARS && Number.isInteger(index)
  const isColour = typeof colour === "string" && (colourNames.includes(colour as ColourName) || isHex(colour))
  return [
    {
      ...{ selector, tag },
      ...(isText && { text: plainLine(text), index }),
      ...(isColour && { colour: colour as ColourName, isBackground: isBackground === true }),
      ...(typeof zoom === "number" && { zoom: boundedZoom(zoom) }),
      ...(typeof isBold === "boolean" && { isBold }),
      ...(typeof isRound === "boolean" && { isRound }),
      ...(isHidden === true && { isHidden }),
    },
  ]
}

function isHex(colour: string): boolean {
  return /^#(?:[\da-f]{6}|[\da-f]{3})$/.test(colour)
}

export function boundedZoom(zoom: number): number {
  return Math.round(Math.min(Math.max(zoom, 0.4), 3) * 100) / 100
}

/** Returns a page's lines that start with an element of this tag. */
export function linesWith(html: string, tag: string): { line: string; at: number }[] {
  const isTag = (line: string) => line.startsWith(`<${tag}>`) || line.startsWith(`<${tag} `)
  return html.split("\n").flatMap((line, at) => (isTag(line.trim()) ? [{ line: line.trim(), at }] : []))
}

/** An element on one line with nothing but a text: its start, the text and its end. */
export const TEXT_LINE = /^([^<>]*<[^<>]+>)[^<>]*(<\/[a-z\d]+>)$/

/** Returns a page with the changed texts. */
export function withTexts(html: string, changes: readonly ElementChange[] = []): string {
  const lines = html.split("\n")
  for (const { tag, index = -1, text } of changes) {
    const found = text === undefined ? undefined : linesWith(html, tag)[index]
    if (!found) continue
    const escaped = escapeText(text ?? "")
    lines[found.at] = (lines[found.at] ?? "").replace(TEXT_LINE, (_, start, end) => start + escaped + end)
  }
  return lines.join("\n")
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}

/** Reverses the escaping of a text, by the project or by a browser. */
export function unescapeText(html: string): string {
  return html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
}

/** Returns the style sheet lines that change the looks of elements. */
export function lookLines(changes: readonly ElementChange[] = []): Record<string, string> {
  const rules = changes.flatMap((change) => {
    const lines = declarations(change).map((line) => `  ${line};\n`)
    return lines.length > 0 ? [`${change.selector} {\n${lines.join("")}}\n\n`] : []
  })
  return rules.length > 0 ? { ".wrong {": `${rules.join("")}.wrong {` } : {}
}

function declarations({ tag, colour, isBackground, zoom, isBold, isRound, isHidden }: ElementChange): string[] {
  return [
    ...(colour ? (isBackground ? backgroundOf(colour, tag) : [`color: ${cssColour(colour)}`]) : []),
    ...(zoom ? [`zoom: ${zoom}`] : []),
    ...(isBold === undefined ? [] : [`font-weight: ${isBold ? 700 : 400}`]),
    ...(isRound === undefined ? [] : [`border-radius: ${isRound ? "1.5rem" : "0"}`]),
    ...(isHidden ? ["display: none"] : []),
  ]
}

/** Buttons are filled. Other backgrounds have a tint, so that all texts on them remain readable. */
function backgroundOf(colour: NonNullable<ElementChange["colour"]>, tag: string): string[] {
  const value = cssColour(colour)
  if (tag !== "button") return [`background: color-mix(in srgb, ${value} 20%, var(--card))`]
  const text = colour.startsWith("#") ? textOn(colour) : "var(--on-accent)"
  return [`border-color: ${value}`, `background: ${value}`, `color: ${text}`]
}

function cssColour(colour: NonNullable<ElementChange["colour"]>): string {
  const shades = shadesOf(colour)
  return shades ? `light-dark(${shades.join(", ")})` : colour
}

/** Returns black or white, whichever is easier to read on this colour. */
function textOn(hex: string): string {
  const long = hex.length === 4 ? hex.replace(/[\da-f]/g, "$&$&") : hex
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(long.slice(at, at + 2), 16))
  return red * 299 + green * 587 + blue * 114 > 140_000 ? "#000000" : "#ffffff"
}
