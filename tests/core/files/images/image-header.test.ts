import { readImageHeader } from "@switchyard/core/files/images/image-header"
import { describe, expect, it } from "vitest"
import { pngOf } from "../../../fixtures/images.ts"

/** First bytes of images of 300 × 200 pixels. */
const images = {
  "image/gif": "474946383961 2c01c800 f00000".padEnd(80, "0"),
  "image/jpeg": "ffd8 ffe00004abcd ffc4000400ff ffffc0 0011 08 00c8 012c 03".padEnd(80, "0"),
  lossy: `524946460000000057454250 56503820 00000000 300100 9d012a 2c01c800`.padEnd(90, "0"),
  lossless: "524946460000000057454250 5650384c 00000000 2f 2bc13100".padEnd(90, "0"),
  extended: "524946460000000057454250 56503858 0a000000 00000000 2b0100 c70000".padEnd(90, "0"),
}
const bytesOf = (hex: string) => Buffer.from(hex.replaceAll(" ", ""), "hex")

describe("an image's first bytes", () => {
  it("tell its type and size, in every format", () => {
    expect(readImageHeader(pngOf(300, 200))).toEqual({ mediaType: "image/png", width: 300, height: 200 })
    for (const [type, hex] of Object.entries(images)) {
      const mediaType = type.startsWith("image/") ? type : "image/webp"
      expect([type, readImageHeader(bytesOf(hex))]).toEqual([type, { mediaType, width: 300, height: 200 }])
    }
  })

  it("are those of no image if they are cut off, without pixels, or another file's", () => {
    const jpeg = bytesOf(images["image/jpeg"])
    for (const bytes of [
      pngOf(0, 200),
      pngOf(300, 200).subarray(0, 20),
      jpeg.subarray(0, 12),
      Buffer.concat([jpeg.subarray(0, 8), Buffer.alloc(60)]),
      Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='300' height='200'/>"),
      Buffer.from("<!doctype html><script>alert(1)</script>".padEnd(80)),
      Buffer.alloc(0),
    ])
      expect(readImageHeader(bytes)).toBeUndefined()
  })
})
