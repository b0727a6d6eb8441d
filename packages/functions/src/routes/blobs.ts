import { Readable } from "node:stream"
import { AppError } from "@switchyard/core/errors"
import { attachment } from "@switchyard/core/storage/disposition"
import type { SignedBlob } from "@switchyard/core/storage/signed-blobs"
import { Hono } from "hono"
import type { AppDeps } from "../deps.ts"

/** Honours the signed URLs of the local blob store, as S3 does its own: whoever has one may read. */
export function blobRoutes(deps: AppDeps, verify: (pathAndQuery: string) => SignedBlob): Hono {
  return new Hono().get("/blobs/:key", async (c) => {
    const { pathname, search } = new URL(c.req.url)
    const { key, filename, contentType } = verify(`${pathname}${search}`)
    const found = await deps.blobs.head(key, { signal: deps.stopping })
    // Once opened, a blob must be read, and nobody reads the body of a HEAD.
    const content = found && (c.req.method === "HEAD" ? [] : await deps.blobs.get(key, { signal: deps.stopping }))
    if (!found || !content) throw new AppError("not_found", "There is nothing here.")
    return c.body(Readable.toWeb(Readable.from(content)) as ReadableStream, 200, {
      "Content-Type": contentType,
      "Content-Length": String(found.sizeBytes),
      "Content-Disposition": attachment(filename),
      // Built by a model: never let it be a page of ours.
      "Content-Security-Policy": "sandbox; default-src 'none'",
    })
  })
}
