import { createHash } from "node:crypto"
import { Readable } from "node:stream"
import { AppError } from "@switchyard/core/errors"
import type { BlobInfo } from "@switchyard/core/storage/blobs"
import { attachment } from "@switchyard/core/storage/content-disposition"
import type { SignedBlob } from "@switchyard/core/storage/signed-blobs"
import { type Context, Hono } from "hono"
import type { AppDeps } from "../../deps.ts"
import { parseRange } from "../../http/byte-range.ts"

/**
 * Serves the local blob store's signed URLs, as S3 does on a stage. Anyone who has a URL may read the blob. Interrupted
 * downloads can be resumed.
 */
export function blobRoutes(deps: AppDeps, verify: (pathAndQuery: string) => SignedBlob): Hono {
  return new Hono().get("/blobs/:key", async (c) => {
    const { pathname, search } = new URL(c.req.url)
    const { key, filename, contentType } = verify(`${pathname}${search}`)
    const found = await deps.blobs.head(key, { signal: deps.stopping })
    if (!found) throw new AppError("not_found", "Not found.")
    const part = rangeOf(c, found)
    const headers = {
      "Content-Type": contentType,
      "Content-Disposition": attachment(filename),
      "Accept-Ranges": "bytes",
      ETag: etagOf(found),
      // A model generated this content, so browsers must never run it as one of our pages.
      "Content-Security-Policy": "sandbox; default-src 'none'",
    }
    if (part === "unsatisfiable") {
      return c.body(null, 416, { ...headers, "Content-Range": `bytes */${found.sizeBytes}` })
    }
    const range = part ?? { start: 0, end: found.sizeBytes - 1 }
    // Don't open the blob for HEAD: an opened blob must be read to the end, but a HEAD response has no body.
    const head = c.req.method === "HEAD"
    const content = head ? [] : await deps.blobs.get(key, { range: part, signal: deps.stopping })
    if (!content) throw new AppError("not_found", "Not found.")
    return c.body(Readable.toWeb(Readable.from(content)) as ReadableStream, part ? 206 : 200, {
      ...headers,
      "Content-Length": String(range.end - range.start + 1),
      ...(part && { "Content-Range": `bytes ${part.start}-${part.end}/${found.sizeBytes}` }),
    })
  })
}

/**
 * Returns the requested range if the client's partial copy comes from the same version of the blob. Otherwise, returns
 * undefined, and the client receives the whole blob.
 */
function rangeOf(c: Context, found: BlobInfo): ReturnType<typeof parseRange> {
  const condition = c.req.header("if-range")
  if (condition !== undefined && condition !== etagOf(found)) return undefined
  return parseRange(c.req.header("range"), found.sizeBytes)
}

/**
 * Returns the ETag. A key's content changes only if the blob is rewritten, which also changes its modification time.
 */
function etagOf({ key, sizeBytes, modifiedAt }: BlobInfo): string {
  return `"${createHash("sha256").update(`${key} ${sizeBytes} ${modifiedAt}`).digest("hex").slice(0, 32)}"`
}
