import { createHash } from "node:crypto"
import { AppError } from "../../errors.ts"
import { readImageHeader } from "../../files/images/image-header.ts"
import { type ImageRef, MAX_IMAGE_BYTES, MAX_IMAGE_SIDE, type RequestImages } from "../../files/images/schema.ts"
import { sessionKey } from "../../ids.ts"
import { artifactBlobs } from "../../kernel/keys.ts"
import type { ModelCatalog } from "../../models/catalog.ts"
import type { ResolvedModel } from "../../models/resolve.ts"
import { requireVision } from "../../models/vision.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import type { Sessions } from "../sessions.ts"

/** Images in a request, and the bytes of those that aren't stored yet. */
export interface GivenImages {
  refs: ImageRef[]
  unstored: Uint8Array[]
}

export interface ImageDeps {
  blobs: Blobs
  catalog: Pick<ModelCatalog, "list">
}

/**
 * Checks a request's images without storing anything. Looks for uploads only in the given session. Throws
 * `invalid_request` if the model can't take images, and `validation_error` if an image is unusable.
 */
export async function readRequestImages(
  { blobs, catalog }: ImageDeps,
  images: RequestImages,
  { model, session }: { model: ResolvedModel; session: { sid: string; incarnation: number } | undefined },
  options: { signal: AbortSignal },
): Promise<GivenImages> {
  const given: GivenImages = { refs: [], unstored: [] }
  if (images.length === 0) return given
  await requireVision({ catalog }, model, options)
  for (const [at, image] of images.entries()) {
    const { src, name } = typeof image === "string" ? { src: image } : image
    const label = name ? `The image ${name}` : `Image ${at + 1}`
    const isInline = src.startsWith("data:")
    const bytes = isInline ? bytesOf(src, label) : await uploaded(blobs, session, { path: src, label }, options)
    given.refs.push({ ...checkImage(bytes, label), ...(name && { name }) })
    if (isInline) given.unstored.push(bytes)
  }
  return given
}

/** Returns the session that contains a request's uploads. Undefined if the session doesn't exist yet. */
export async function sessionOfImages(
  sessions: Pick<Sessions, "peek">,
  owner: string,
  { request, workspace }: { request: { images?: RequestImages | null | undefined }; workspace: string | undefined },
  options: { signal: AbortSignal },
): Promise<{ sid: string; incarnation: number } | undefined> {
  if (workspace === undefined || !request.images?.length) return undefined
  const state = await sessions.peek(owner, workspace, options)
  return state && { sid: sessionKey(owner, workspace), incarnation: state.session.incarnation }
}

/**
 * Returns a reference to an image. Throws `validation_error` if the bytes aren't an image in a format that models
 * accept.
 */
export function checkImage(bytes: Uint8Array, label = "The file"): Required<Omit<ImageRef, "name">> {
  const header = readImageHeader(bytes)
  if (!header) throw unusable(`${label} is not a PNG, JPEG, GIF or WebP image. Convert it to one of these formats.`)
  const { mediaType: media_type, width, height } = header
  if (bytes.byteLength > MAX_IMAGE_BYTES) throw unusable(`${label} is larger than 5 MB. Send a smaller version.`)
  if (Math.max(width, height) > MAX_IMAGE_SIDE)
    throw unusable(`${label} is ${width} × ${height} pixels. Send at most ${MAX_IMAGE_SIDE} on each side.`)
  const sha256 = createHash("sha256").update(bytes).digest("hex")
  return { path: `artifacts/${sha256}`, media_type, size: bytes.byteLength, width, height }
}

/** Decodes a data URI. Ignores the media type in the URI, because only the bytes matter. */
function bytesOf(uri: string, label: string): Uint8Array {
  const [head = "", base64] = uri.split(",", 2)
  if (base64 === undefined || !head.endsWith(";base64") || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw unusable(`${label} is not a valid data URI. Send data:image/png;base64, followed by the bytes.`)
  return Buffer.from(base64, "base64")
}

async function uploaded(
  blobs: Blobs,
  session: { sid: string; incarnation: number } | undefined,
  { path, label }: { path: string; label: string },
  options: { signal: AbortSignal },
): Promise<Uint8Array> {
  const [, sha256] = /^artifacts\/([0-9a-f]{64})$/.exec(path) ?? []
  if (!sha256) throw unusable(`${label} is neither a data URI nor the \`path\` of an upload.`)
  if (!session)
    throw unusable(`${label} is an upload, so the request must name its session. Send its id as workspace_id.`)
  const source = await blobs.get(`${artifactBlobs(session.sid, session.incarnation)}${sha256}`, options)
  if (!source) throw unusable(`${label} is not among the session's uploads. Upload it to this session first.`, { path })
  return readAll(source)
}

function unusable(message: string, details: Record<string, unknown> = {}): AppError {
  return new AppError("validation_error", message, details)
}
