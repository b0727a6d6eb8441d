import * as z from "zod"
import { MAX_IMAGES } from "../../files/images/schema.ts"
import { ELEMENT_LIMITS, MAX_ELEMENTS } from "./element-limits-schema.ts"

const field = (name: keyof typeof ELEMENT_LIMITS) =>
  z
    .string()
    .max(ELEMENT_LIMITS[name])
    .refine((text) => text.isWellFormed(), "Invalid Unicode")

/**
 * An element of the built app that a request refers to. All fields except `file`, `line` and `image` come from the
 * page.
 */
export const PageElement = z.object({
  tag: field("tag").regex(/^[a-zA-Z][\w.-]*$/, "Not a tag name"),
  selector: field("selector").describe("CSS selector"),
  text: field("text").describe("Its text, shortened"),
  html: field("html").describe("Its HTML, shortened"),
  page: field("page").describe("Path of the page in the app"),
  file: z.string().max(1024).optional().describe("Path of the source file, if known"),
  line: z.int().min(1).max(10_000_000).optional().describe("Line in the file"),
  image: z.int().min(1).max(MAX_IMAGES).optional().describe("Number of its picture among the request's images, from 1"),
})
export type PageElement = z.infer<typeof PageElement>

export const PageElements = z
  .array(PageElement)
  .max(MAX_ELEMENTS, `A request takes at most ${MAX_ELEMENTS} elements.`)
  .describe("Elements of the built app that the request is about, as selected in a preview; models see them as data")
export type PageElements = z.infer<typeof PageElements>
