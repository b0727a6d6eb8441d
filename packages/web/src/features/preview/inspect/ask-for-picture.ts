import { isObject } from "../../../api/decode.ts"
import { dataUri, MAX_BYTES, scaled } from "../../images/read-images.ts"
import { MAX_UNASKED } from "./use-inspector.ts"

/** Maximum width and height. An honest page draws at most half of that. */
const MAX_SIDE = 2000
/** Greatest ratios of the sides. The studio would show a narrower picture as a line, which only a model could read. */
const MAX_WIDE = 25
const MAX_TALL = 8
/** The page stops drawing earlier. */
const ANSWER_MS = 8000

/**
 * Asks a page for a picture of the element that was just selected. Returns it as a data URI, or undefined if the page
 * sends none, or anything but a PNG within the limits. The picture is drawn again, so it contains what it shows and
 * nothing else: no text, no second frame.
 */
export async function askForPicture(port: MessagePort): Promise<string | undefined> {
  const bytes = await answerOf(port)
  const size = bytes instanceof ArrayBuffer ? sizeOfPng(bytes) : undefined
  if (!size) return undefined
  let bitmap: ImageBitmap | undefined
  try {
    bitmap = await createImageBitmap(new Blob([bytes as ArrayBuffer], { type: "image/png" }))
    if (bitmap.width !== size.width || bitmap.height !== size.height) return undefined
    const drawn = await scaled(bitmap, 1, "image/png")
    return drawn.size <= MAX_BYTES ? await dataUri(drawn) : undefined
  } catch {
    // The browser can't read it.
    return undefined
  } finally {
    bitmap?.close()
  }
}

/** Returns the first answer to the question. Late answers to earlier questions may come before it, but not many. */
async function answerOf(port: MessagePort): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const timer = setTimeout(resolve, ANSWER_MS)
  let others = 0
  port.onmessage = ({ data }) => {
    if (isObject(data) && data.id === "picture") resolve(data.picture)
    else if (++others > MAX_UNASKED) resolve(undefined)
  }
  port.postMessage({ id: "picture", picture: true })
  const answer = await promise
  clearTimeout(timer)
  port.close()
  return answer
}

/** Returns the size in a PNG's header. Undefined for anything else, and beyond the limits. */
export function sizeOfPng(bytes: ArrayBuffer): { width: number; height: number } | undefined {
  if (bytes.byteLength < 33 || bytes.byteLength > MAX_BYTES) return undefined
  const view = new DataView(bytes)
  const isPng = [0x89504e47, 0x0d0a1a0a, 13, 0x49484452].every((word, at) => view.getUint32(4 * at) === word)
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  const fits = [width, height].every((side) => side > 0 && side <= MAX_SIDE)
  const isLegible = width <= MAX_WIDE * height && height <= MAX_TALL * width
  return isPng && fits && isLegible ? { width, height } : undefined
}
