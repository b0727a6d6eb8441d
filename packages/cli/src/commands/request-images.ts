import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import { readImageHeader } from "@switchyard/core/files/images/image-header"
import { MAX_IMAGE_BYTES, MAX_IMAGES } from "@switchyard/core/files/images/schema"
import * as z from "zod"
import type { Cli } from "../cli.ts"
import { UsageError } from "../errors/errors.ts"

export interface ImageOption {
  /** Files to show to the model. */
  image?: string[]
}

/**
 * Maximum total size of the images that are sent in the request. Images that don't fit are uploaded, because a body may
 * have at most 4 MB.
 */
const MAX_INLINE_BYTES = 2.5 * 1024 * 1024

/**
 * Returns the fields of a request for its images. Uploads large images to the workspace, or to a new workspace if there
 * is none. If a file can't be used, throws `UsageError` before anything is sent.
 */
export async function imagesOf(
  cli: Cli,
  { image: files = [] }: ImageOption,
  workspace: string | undefined,
): Promise<{ images?: { src: string; name: string }[]; workspace_id: string | undefined }> {
  if (files.length === 0) return { workspace_id: workspace }
  if (files.length > MAX_IMAGES) throw new UsageError(`A request takes at most ${MAX_IMAGES} images.`)
  const read = await Promise.all(files.map(readImage))
  const { second: signal } = cli.interrupts
  if (read.reduce((sum, { bytes }) => sum + bytes.length, 0) <= MAX_INLINE_BYTES) {
    const images = read.map(({ name, bytes, mediaType }) => {
      return { name, src: `data:${mediaType};base64,${bytes.toString("base64")}` }
    })
    return { images, workspace_id: workspace }
  }
  const id = workspace ?? (await cli.api.openSession({}, { signal })).id
  const images: { src: string; name: string }[] = []
  for (const { name, bytes } of read) {
    const body = { file: new File([bytes], name) }
    const uploaded = z.looseObject({ path: z.string() })
    const { path } = await cli.api.ask("POST /api/v1/sessions/{id}/uploads", uploaded, { path: { id }, body, signal })
    images.push({ name, src: path })
  }
  return { images, workspace_id: id }
}

async function readImage(file: string) {
  const bytes = await readFile(file).catch(() => undefined)
  if (!bytes) throw new UsageError(`The image ${file} can't be read.`)
  const header = readImageHeader(bytes)
  if (!header) throw new UsageError(`${file} is not a PNG, JPEG, GIF or WebP image.`)
  if (bytes.length > MAX_IMAGE_BYTES) throw new UsageError(`${file} is larger than 5 MB. Use a smaller version.`)
  return { name: basename(file), bytes, ...header }
}
