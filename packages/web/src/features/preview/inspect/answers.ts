import { ELEMENT_LIMITS } from "@switchyard/core/work/workflow/element-limits-schema"
import { isObject } from "../../../api/decode.ts"
import { plainText } from "../../../ui/plain-text.ts"

/**
 * An element in a page's answer. It can't be trusted: a hostile page can answer anything. All texts are bounded, and
 * have no control characters.
 */
export interface AnsweredElement {
  tag: string
  selector: string
  /** Place in the frame, in the page's pixels. */
  box: Box
}

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** The same with everything that a request needs. */
export interface PickedElement extends AnsweredElement {
  text: string
  html: string
  page: string
  /** Tag and position of the element and its ancestors among their siblings, from the document's root. */
  path: PathStep[]
  attributes: Map<string, string>
  /** The place in the source, as the page's framework reports it. */
  source: { file: string; line: number | undefined } | null
}

export interface PathStep {
  tag: string
  index: number
}

const MAX_STEPS = 100
const MAX_ATTRIBUTES = 30
const MAX_ATTRIBUTE_CHARS = 500
const MAX_FILE_CHARS = 1000
const FARTHEST = 1_000_000

/** Parses an answer to the request with this number; undefined for anything else. */
export function toElement(answer: unknown, id: number): AnsweredElement | undefined {
  if (!isObject(answer) || answer.id !== id) return undefined
  const [tag, box] = [tagOf(answer.tag), boxOf(answer.box)]
  return tag === undefined || !box ? undefined : { tag, box, selector: oneLine(answer.label, "selector") || tag }
}

/** Parses the answer to the request for everything about an element; undefined for anything else. */
export function toPickedElement(answer: unknown, id: number): PickedElement | undefined {
  const element = toElement(answer, id)
  if (!element || !isObject(answer)) return undefined
  const page = oneLine(answer.page, "page")
  return {
    ...element,
    text: oneLine(answer.text, "text"),
    html: plainText(textOf(answer.html), ELEMENT_LIMITS.html),
    page: page.startsWith("/") ? page : "/",
    path: pathOf(answer.path),
    attributes: attributesOf(answer.attributes),
    source: sourceOf(answer.source),
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** Returns the beginning of a text, with single spaces in place of white space. */
function oneLine(value: unknown, name: keyof typeof ELEMENT_LIMITS): string {
  const most = ELEMENT_LIMITS[name]
  const text = plainText(textOf(value), 8 * most)
    .replaceAll(/\s+/g, " ")
    .trim()
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text
}

function tagOf(value: unknown): string | undefined {
  const tag = textOf(value)
  return tag.length <= ELEMENT_LIMITS.tag && /^[a-z][\w.-]*$/i.test(tag) ? tag : undefined
}

function boxOf(value: unknown): Box | undefined {
  if (!isObject(value)) return undefined
  const [x, y, width, height] = [value.x, value.y, value.width, value.height].map(Number)
  const isThere = [x, y, width, height].every((side) => side !== undefined && Math.abs(side) < FARTHEST)
  return isThere ? ({ x, y, width, height } as Box) : undefined
}

function pathOf(value: unknown): PathStep[] {
  if (!Array.isArray(value) || value.length > MAX_STEPS) return []
  const steps = value.map((step: unknown): PathStep | undefined => {
    if (!isObject(step)) return undefined
    const [tag, index] = [tagOf(step.tag), step.index]
    return tag !== undefined && Number.isInteger(index) && Number(index) >= 0
      ? { tag, index: Number(index) }
      : undefined
  })
  return steps.includes(undefined) ? [] : steps.filter((step) => step !== undefined)
}

function attributesOf(value: unknown): Map<string, string> {
  const pairs: unknown[] = Array.isArray(value) ? value.slice(0, MAX_ATTRIBUTES) : []
  return new Map(
    pairs.flatMap((pair) => {
      const [name, text] = Array.isArray(pair) ? pair.map(textOf) : []
      return name && text !== undefined && name.length < 100
        ? [[name, text.slice(0, MAX_ATTRIBUTE_CHARS)] as const]
        : []
    }),
  )
}

function sourceOf(value: unknown): PickedElement["source"] {
  if (!isObject(value)) return null
  const file = textOf(value.file)
  if (file === "" || file.length > MAX_FILE_CHARS) return null
  const line = Number(value.line)
  return { file, line: Number.isInteger(line) && line > 0 && line < 10_000_000 ? line : undefined }
}
