/** An image attached to the next request: its bytes as a data URI, and its name. */
export interface AttachedImage {
  src: string
  name: string
}

export const MAX_IMAGES = 5
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"]
