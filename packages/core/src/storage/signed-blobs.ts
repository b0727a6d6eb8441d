import { createHmac, timingSafeEqual } from "node:crypto"
import * as z from "zod"
import { AppError } from "../errors.ts"
import type { BlobKey } from "./blobs.ts"

/** The grant of a signed URL: to read this blob, under this name, until then. */
export interface SignedBlob {
  key: BlobKey
  filename: string
  contentType: string
  /** Unix seconds. */
  expires: number
  /** The same by a `LinkTimer`: its name, and the milliseconds that it shows then. */
  timed?: { by: string; until: number }
}

/** A clock of one process that nobody sets, for the links that this process signs and honours itself. */
export interface LinkTimer {
  /** Of no other process, nor of this one's successor. */
  name: string
  /** Milliseconds that only grow. */
  monotonic(): number
}

/** The path and query of the URL that `verifySignedBlob` accepts. */
export function signBlobUrl(signingKey: Uint8Array, grant: SignedBlob): string {
  // A query can't carry a lone surrogate.
  const blob = {
    ...grant,
    filename: grant.filename.toWellFormed(),
    contentType: grant.contentType.toWellFormed(),
  }
  const query = new URLSearchParams({
    expires: String(blob.expires),
    ...(blob.timed && { timer: blob.timed.by, until: String(blob.timed.until) }),
    filename: blob.filename,
    type: blob.contentType,
    signature: signature(signingKey, blob).toString("base64url"),
  })
  // Encoded, because a key may hold what a path can't carry unchanged, such as an empty segment.
  return `${PATH}${Buffer.from(blob.key).toString("base64url")}?${query}`
}

/**
 * The grant in the path and query of a signed URL. Throws `not_found` for a path that is no signed URL's, `forbidden` for
 * one that was altered, was signed with another key, or has expired. It doesn't look whether there is such a blob.
 * A link that `timer` has timed lives as long as it was given, however the wall clock is set meanwhile.
 */
export function verifySignedBlob(
  { signingKey, now, timer }: { signingKey: Uint8Array; now: () => number; timer?: LinkTimer },
  pathAndQuery: string,
): SignedBlob {
  const url = URL.parse(pathAndQuery, "http://localhost")
  if (!url?.pathname.startsWith(PATH)) throw new AppError("not_found", "Not found.")
  const query = Query.safeParse(Object.fromEntries(url.searchParams))
  if (!query.success) throw forbidden()

  const { expires, filename, type, signature: given, timer: by, until } = query.data
  const key = Buffer.from(url.pathname.slice(PATH.length), "base64url").toString()
  const timed = by === undefined || until === undefined ? undefined : { by, until: Number(until) }
  const blob = { key, filename, contentType: type, expires: Number(expires), timed }
  const expected = signature(signingKey, blob)
  const actual = Buffer.from(given, "base64url")
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) throw forbidden()
  const isOwn = timer !== undefined && timed?.by === timer.name
  const hasExpired = isOwn ? timer.monotonic() >= timed.until : now() >= blob.expires * 1000
  if (hasExpired) throw new AppError("forbidden", "This link has expired. Ask for a new one.")
  return blob
}

const PATH = "/blobs/"

const Query = z.object({
  expires: z.string().regex(/^\d{1,15}$/),
  filename: z.string(),
  type: z.string(),
  timer: z.string().optional(),
  until: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
  signature: z.string(),
})

/** Signed as JSON, so that no part can run into the next. */
function signature(signingKey: Uint8Array, { key, filename, contentType, expires, timed }: SignedBlob): Buffer {
  const text = JSON.stringify(["blob", key, filename, contentType, expires, timed?.by, timed?.until])
  return createHmac("sha256", signingKey).update(text).digest()
}

function forbidden(): AppError {
  return new AppError("forbidden", "This link is not valid.")
}
