import { isUtf8 } from "node:buffer"
import { AppError } from "@switchyard/core/errors"
import type { MiddlewareHandler } from "hono"

const MAX_BODY_BYTES = 4 * 1024 * 1024
const INITIAL_BYTES = 16 * 1024

/**
 * Reads the body before the validators: every body here is text. One above 4 MB is refused as soon as it is larger,
 * whatever its `Content-Length`, and so is one that isn't UTF-8: decoding would change the text.
 */
export function readBody(): MiddlewareHandler {
  return async (c, next) => {
    const { url, method, headers, signal, body } = c.req.raw
    if (Number(headers.get("content-length")) > MAX_BODY_BYTES) throw tooLarge()
    if (body) {
      const bytes = await readBytes(body)
      if (!isUtf8(bytes)) throw new AppError("validation_error", "The body is not valid UTF-8.")
      c.req.raw = new Request(url, { method, headers, signal, body: bytes.length > 0 ? bytes : undefined })
    }
    await next()
  }
}

/** Reads into one buffer: a body may arrive byte by byte, and a million chunks take many times their content. */
async function readBytes(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array(INITIAL_BYTES)
  let size = 0
  for (const reader = body.getReader(); ; ) {
    const { done, value } = await reader.read().catch(incompleteBody)
    if (done) return bytes.subarray(0, size)
    if (size + value.length > MAX_BODY_BYTES) throw tooLarge()
    if (size + value.length > bytes.length) bytes = grow(bytes, size + value.length)
    bytes.set(value, size)
    size += value.length
  }
}

function grow(bytes: Uint8Array, needed: number) {
  const larger = new Uint8Array(Math.min(MAX_BODY_BYTES, Math.max(needed, 2 * bytes.length)))
  larger.set(bytes)
  return larger
}

function incompleteBody(cause: unknown): never {
  throw new AppError("validation_error", "The body ended before it was complete.", {}, { cause })
}

function tooLarge(): AppError {
  return new AppError("payload_too_large", "The body is larger than 4 MB.", { max_bytes: MAX_BODY_BYTES })
}
