export type ImageExtension = "png" | "jpg" | "gif" | "webp"

/** An image's format and size in pixels, read from its first bytes. */
export interface ImageHeader {
  mediaType: string
  width: number
  height: number
}

/** Image types that models and agents accept, by their magic bytes. */
const KINDS = [
  { extension: "png", begins: ["89504e470d0a1a0a"] },
  { extension: "jpg", begins: ["ffd8ff"] },
  { extension: "gif", begins: ["474946383761", "474946383961"] },
] as const

/** Returns the usual extension for an image, based on its bytes. Undefined for other files. */
export function imageExtension(bytes: Uint8Array): ImageExtension | undefined {
  const hex = Buffer.from(bytes.subarray(0, 12)).toString("hex")
  if (hex.startsWith("52494646") && hex.slice(16) === "57454250") return "webp"
  return KINDS.find(({ begins }) => begins.some((magic) => hex.startsWith(magic)))?.extension
}

const mediaTypes = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
} satisfies Record<ImageExtension, string>

/** Returns an image's type and size. Undefined for other files, and for images that are truncated or have no pixels. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const extension = imageExtension(bytes)
  if (!extension) return undefined
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size = view.length < MIN_BYTES ? undefined : sizes[extension](view)
  if (!size || size.width === 0 || size.height === 0) return undefined
  return { mediaType: mediaTypes[extension], ...size }
}

/** Minimum length of a valid image in any of the formats. */
const MIN_BYTES = 30

interface Size {
  width: number
  height: number
}

const sizes = {
  png: (bytes) => {
    if (bytes.toString("latin1", 12, 16) !== "IHDR") return undefined
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  },
  gif: (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  jpg: jpegSize,
  webp: webpSize,
} satisfies Record<ImageExtension, (bytes: Buffer) => Size | undefined>

/** Skips the segments of a JPEG up to the frame header, which contains its size. */
function jpegSize(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    // A marker may be preceded by any number of fill bytes.
    if (marker === 0xff) at++
    else if (isFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** True for the markers SOF0 to SOF15. Three numbers in this range have other meanings. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

/** Returns the size of a WebP: lossy, lossless or extended. */
function webpSize(bytes: Buffer): Size | undefined {
  const chunk = bytes.toString("latin1", 12, 16)
  if (chunk === "VP8X") return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (chunk === "VP8L") {
    const bits = bytes.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (chunk !== "VP8 ") return undefined
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
}
