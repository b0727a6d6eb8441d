import { type AttachedImage, IMAGE_TYPES, MAX_IMAGES } from "./attached-image.ts"

/** Maximum size of an image. A body with five of them is smaller than 4 MB. */
export const MAX_BYTES = 540_000
/** Larger images are scaled down to this width or height. Models look at fewer pixels. */
const SCALED_SIDE = 2000
/** Maximum width and height that the server accepts. */
const MAX_SIDE = 8000
const MIN_SIDE = 300

/**
 * Reads files as images, at most `room` of them, and passes each to `add`. Returns why some were left out; null if none
 * were.
 */
export async function readImages(
  files: readonly File[],
  room: number,
  add: (image: AttachedImage) => void,
): Promise<string | null> {
  const fitting = files.filter(({ type }) => IMAGE_TYPES.includes(type))
  const taken = fitting.slice(0, room)
  let error: string | null = null
  if (taken.length < fitting.length) error = `You can attach up to ${MAX_IMAGES} images.`
  if (fitting.length < files.length) error = "Images must be PNG, JPEG, GIF or WebP."
  for (const file of taken) {
    const name = file.name || "Image"
    try {
      add({ src: await fitImage(file), name })
    } catch {
      error = `Couldn't read ${name} as an image.`
    }
  }
  return error
}

/** Returns an image as a data URI, scaled down if it is too large. Throws if the browser can't read it. */
async function fitImage(file: Blob): Promise<string> {
  const bitmap = await createImageBitmap(file)
  try {
    const longest = Math.max(bitmap.width, bitmap.height)
    if (file.size <= MAX_BYTES && longest <= MAX_SIDE) return await dataUri(file)
    for (let side = Math.min(SCALED_SIDE, longest); ; side = Math.round(side * 0.7)) {
      const blob = await scaled(bitmap, side / longest)
      if (blob.size <= MAX_BYTES || side < MIN_SIDE) return await dataUri(blob)
    }
  } finally {
    bitmap.close()
  }
}

/** Draws an image again, on white. */
export function scaled(bitmap: ImageBitmap, factor: number, type = "image/jpeg"): Promise<Blob> {
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.round(bitmap.width * factor))
  canvas.height = Math.max(1, Math.round(bitmap.height * factor))
  const context = canvas.getContext("2d")
  const { promise, resolve, reject } = Promise.withResolvers<Blob>()
  if (context) {
    // JPEG has no transparency, and would show it as black.
    context.fillStyle = "#fff"
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.imageSmoothingQuality = "high"
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  }
  canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("Couldn't resize the image."))), type, 0.85)
  return promise
}

export function dataUri(file: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.onload = () => resolve(String(reader.result))
  reader.onerror = () => reject(reader.error)
  reader.readAsDataURL(file)
  return promise
}
