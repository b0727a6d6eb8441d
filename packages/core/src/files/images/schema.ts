import * as z from "zod"

/** Limits for the images of a request. */
export const MAX_IMAGES = 5
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024
/** Maximum width and height in pixels, because Anthropic rejects larger images. */
export const MAX_IMAGE_SIDE = 8000

/** An image in a request. Only this reference is in the log. The bytes are stored as an artifact of the session. */
export const ImageRef = z.object({
  path: z.string(),
  media_type: z.string(),
  size: z.int().nonnegative(),
  name: z.string().optional(),
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
})
export type ImageRef = z.infer<typeof ImageRef>

const Source = z.string().min(1)

/** Images in a request, with or without names. */
export const RequestImages = z
  .array(z.union([Source, z.object({ src: Source, name: z.string().max(200).optional() })]))
  .max(MAX_IMAGES, `A request takes at most ${MAX_IMAGES} images.`)
  .describe(
    "Up to five PNG, JPEG, GIF or WebP images of up to 5 MB each: the `path` of an upload to the session, a data URI, or an object with either as `src` and a `name`",
  )
export type RequestImages = z.infer<typeof RequestImages>
