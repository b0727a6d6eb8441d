import { createHmac, timingSafeEqual } from "node:crypto"
import * as z from "zod"
import { AppError } from "../errors.ts"
import type { BlobKey } from "./blobs.ts"
import { checkBlobKey, checkUrlLife } from "./limits.ts"

/** Permission that a signed URL grants: to read a blob, under a file name, until the URL expires. */
export interface SignedBlob {
  key: BlobKey
  filename: string
  contentType: string
  /** Time when the URL expires, in Unix seconds. */
  expires: number
  /** Expiry according to a `LinkTimer`: the name of the timer, and the timer's time in milliseconds. */
  timed?: { by: string; until: number }
}

/** Monotonic clock of one process, for links that the process both signs and verifies. */
export interface LinkTimer {
  /** Name that is unique to this process. */
  name: string
  /** Milliseconds that never decrease. */
  monotonic(): number
}

/** Server whose links `verifySignedBlob` accepts. */
export interface BlobLinks {
  publicUrl: string | (() => string)
  signingKey: Uint8Array
  /** Timer for links that are verified by the same process, so that changes of the clock don't affect their expiry. */
  timer?: LinkTimer
  now?: () => number
}

/** Returns a link to a blob, as specified by `Blobs.signedUrl`. */
export function signedBlobUrl(
  { publicUrl, signingKey, timer, now = Date.now }: BlobLinks,
  key: BlobKey,
  options: { expiresInSeconds: number; filename: string; contentType?: string | null | undefined },
): string {
  const { expiresInSeconds, filename } = options
  const contentType = options.contentType ?? "application/octet-stream"
  checkBlobKey(key)
  checkUrlLife(expiresInSeconds)
  const expires = Math.floor(now() / 1000) + expiresInSeconds
  const timed = timer && { by: timer.name, until: Math.floor(timer.monotonic() + expiresInSeconds * 1000) }
  const base = typeof publicUrl === "string" ? publicUrl : publicUrl()
  return base + signBlobUrl(signingKey, { key, filename, contentType, expires, timed })
}

/** Returns the path and query of a URL that `verifySignedBlob` accepts. */
function signBlobUrl(signingKey: Uint8Array, grant: SignedBlob): string {
  // Replace lone surrogates, because a query can't contain them.
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
  // Encode the key, because a path can't represent every key. For example, an empty segment would be lost.
  return `${PATH}${Buffer.from(blob.key).toString("base64url")}?${query}`
}

/**
 * Returns the grant in the path and query of a signed URL. Throws `not_found` if the path isn't that of a signed URL.
 * Throws `forbidden` if the URL was altered, was signed with another key, or has expired. Doesn't check whether the
 * blob exists. A link whose expiry comes from `timer` stays valid for its full lifetime even if the wall clock is
 * changed.
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

/** Signs the fields as JSON, so that characters can't move from one field to the next. */
function signature(signingKey: Uint8Array, { key, filename, contentType, expires, timed }: SignedBlob): Buffer {
  const text = JSON.stringify(["blob", key, filename, contentType, expires, timed?.by, timed?.until])
  return createHmac("sha256", signingKey).update(text).digest()
}

function forbidden(): AppError {
  return new AppError("forbidden", "This link isn't valid.")
}
