import { isUtf8 } from "node:buffer"
import { AppError } from "@switchyard/core/errors"
import { MAX_IMAGE_BYTES } from "@switchyard/core/files/images/schema"
import type { Context, MiddlewareHandler } from "hono"
import { GIT_DELIVERY, routeOf, UPLOAD } from "./permissions.ts"

/**
 * Default limit. A body above the limit is still read and discarded, up to `refusedBytes`, because most clients miss a
 * response that arrives while they are sending.
 */
const MAX_BODY = { bytes: 4 * 1024 * 1024, text: "4 MB", refusedBytes: 64 * 1024 * 1024 }
/** Limit for unauthenticated requests, which are only used to log in. */
const MAX_ANONYMOUS_BODY = { bytes: 64 * 1024, text: "64 KB", refusedBytes: 1024 * 1024 }
/**
 * Limit for deliveries from git hosts. A delivery quotes an issue and a comment of up to 64 K characters each. The
 * whole body must be read, because the signature covers it.
 */
const MAX_DELIVERY = { bytes: 1024 * 1024, text: "1 MB", refusedBytes: 4 * 1024 * 1024 }
/** Limit for uploads: an image of the maximum size, plus the form that contains it. */
const MAX_UPLOAD = { ...MAX_BODY, bytes: MAX_IMAGE_BYTES + 64 * 1024, text: "5 MB" }
type Limit = typeof MAX_BODY

const INITIAL_BYTES = 16 * 1024

/**
 * Reads the body before the validators do. Refuses a body above the limit, regardless of its `Content-Length`. Also
 * refuses a body that isn't UTF-8, because decoding would change it; only forms with files may contain binary data. An
 * empty body counts as absent, regardless of its type. Must be registered after `authorize`.
 */
export function readBody(): MiddlewareHandler {
  return async (c, next) => {
    const { url, method, headers, signal, body } = c.req.raw
    const limit = limitOf(c)
    if (Number(headers.get("content-length")) > limit.refusedBytes) throw tooLarge(limit)
    const bytes = body ? await readBytes(body, limit) : new Uint8Array()
    const isForm = headers.get("content-type")?.startsWith("multipart/form-data") ?? false
    if (!isForm && !isUtf8(bytes)) throw notText()
    if (bytes.length > 0) c.req.raw = new Request(url, { method, headers, signal, body: bytes })
    else if (body || headers.has("content-type")) {
      c.req.raw = new Request(url, { method, headers: withoutType(headers), signal })
    }
    await next()
  }
}

/** Removes the content type of an empty body. Otherwise, validators would try to parse the body. */
function withoutType(headers: Headers): Headers {
  const kept = new Headers(headers)
  kept.delete("content-type")
  return kept
}

function limitOf(c: Context): Limit {
  if (c.get("principal")) return routeOf(c) === UPLOAD ? MAX_UPLOAD : MAX_BODY
  return routeOf(c) === GIT_DELIVERY ? MAX_DELIVERY : MAX_ANONYMOUS_BODY
}

/**
 * Reads into a single buffer: a body may arrive byte by byte, and a million chunks would need many times the memory of
 * their content.
 */
async function readBytes(body: ReadableStream<Uint8Array>, limit: Limit): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array(INITIAL_BYTES)
  let size = 0
  for (const reader = body.getReader(); ; ) {
    const { done, value } = await reader.read().catch(incompleteBody)
    if (size > limit.bytes && (done || size > limit.refusedBytes)) throw tooLarge(limit)
    if (done) return bytes.subarray(0, size)
    if (size + value.length > limit.bytes) bytes = new Uint8Array()
    else {
      if (size + value.length > bytes.length) bytes = grow(bytes, size + value.length, limit)
      bytes.set(value, size)
    }
    size += value.length
  }
}

function grow(bytes: Uint8Array, needed: number, limit: Limit) {
  const larger = new Uint8Array(Math.min(limit.bytes, Math.max(needed, 2 * bytes.length)))
  larger.set(bytes)
  return larger
}

function incompleteBody(cause: unknown): never {
  throw new AppError("validation_error", "The request ended before its body was complete.", {}, { cause })
}

function notText(): AppError {
  return new AppError(
    "validation_error",
    "The body is not valid UTF-8. Send JSON, with any zip or image encoded as base64.",
  )
}

function tooLarge({ bytes, text }: Limit): AppError {
  return new AppError("payload_too_large", `The body is larger than ${text}.`, { max_bytes: bytes })
}
