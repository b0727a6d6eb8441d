import type { ImageRef } from "../../../files/images/schema.ts"
import { fenced } from "../../../text/fenced.ts"
import { imagesNote } from "../../harness/images.ts"
import type { PageElement } from "../elements-schema.ts"
import { elementsNote } from "./elements-note.ts"

/** Material attached to a request. */
export interface RequestMaterial {
  images?: readonly ImageRef[] | undefined
  /** Elements of the built app that the request is about. */
  elements?: readonly PageElement[] | undefined
}

/**
 * Returns the user's request verbatim, with notes about its images and elements. All three roles receive the same text.
 */
export function requestSection(prompt: string, { images = [], elements = [] }: RequestMaterial = {}): string {
  const notes = [images.length > 0 && imagesNote(images), elements.length > 0 && elementsNote(elements)]
  return [`User request:\n${fenced(prompt)}`, ...notes.filter((note) => note !== false)].join("\n")
}

/** Returns the files that define these elements. */
export function filesOf(elements: readonly PageElement[] = []): string[] {
  return elements.flatMap(({ file }) => file ?? [])
}
