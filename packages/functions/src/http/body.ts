import { isUtf8 } from "node:buffer"
import { AppError } from "@switchyard/core/errors"
import type { MiddlewareHandler } from "hono"

const MAX_BODY_BYTES = 4 * 1024 * 1024
const FIRST_BYTES = 16 * 1024

/**
 * Reads the body before anyone else: every body here is text. One above 4 MB is refused as soon as it is,
 * whatever length it claimed, and one that isn't UTF-8 too: decoded somehow, it would be other text than was sent.
 */
export function readBody(): MiddlewareHandler {
  return async (c, next) => {
    const { url, method, headers, signal, body } = c.req.raw
    if (Number(headers.get("content-length")) > MAX_BODY_BYTES) throw tooLarge()
    if (body) {
      const bytes = await bytesOf(body)
      if (!isUtf8(bytes)) throw new AppError("validation_error", "The body is not valid UTF-8.")
      c.req.raw = new Request(url, { method, headers, signal, body: bytes.length > 0 ? bytes : undefined })
    }
    await next()
  }
}

/** Gathers in one place: a body may come byte by byte, and a million pieces weigh many times what they hold. */
async function bytesOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array(FIRST_BYTES)
  let size = 0
  for (const reader = body.getReader(); ; ) {
    const { done, value } = await reader.read().catch(brokenOff)
    if (done) return bytes.subarray(0, size)
    if (size + value.length > MAX_BODY_BYTES) throw tooLarge()
    if (size + value.length > bytes.length) bytes = enlarged(bytes, size + value.length)
    bytes.set(value, size)
    size += value.length
  }
}

function enlarged(bytes: Uint8Array, needed: number) {
  const larger = new Uint8Array(Math.min(MAX_BODY_BYTES, Math.max(needed, 2 * bytes.length)))
  larger.set(bytes)
  return larger
}

function brokenOff(cause: unknown): never {
  throw new AppError("validation_error", "The body ended before it was complete.", {}, { cause })
}

function tooLarge(): AppError {
  return new AppError("payload_too_large", "The body is larger than 4 MB.", { max_bytes: MAX_BODY_BYTES })
}
