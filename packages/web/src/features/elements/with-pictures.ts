import type { PageElement } from "@switchyard/core/work/workflow/elements-schema"
import type { SelectedElement } from "../../session/context/studio.ts"
import { type AttachedImage, MAX_IMAGES } from "../images/attached-image.ts"

/**
 * Returns a request's elements, and its images followed by the elements' pictures. Leaves out pictures that weren't on
 * the screen, and those beyond the limit. A picture's name is a number: models read the names of images as the user's
 * words, and the page writes the selector and the tag.
 */
export function withPictures(
  attached: readonly AttachedImage[],
  selected: readonly SelectedElement[],
): { images: AttachedImage[]; elements: PageElement[] } {
  const images = [...attached]
  const elements = selected.map(({ picture, ...element }, at) => {
    if (!picture?.shown || images.length >= MAX_IMAGES) return element
    images.push({ src: picture.src, name: `element-${at + 1}` })
    return { ...element, image: images.length }
  })
  return { images, elements }
}
