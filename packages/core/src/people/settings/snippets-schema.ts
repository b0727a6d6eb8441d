import * as z from "zod"
import { ONE_LINE } from "../access/schema.ts"

/** All of an owner's snippets fit one record, whatever their script. */
const MAX_SNIPPETS = 50
const MAX_CHARS = 2000

/** A text that its owner often writes in a chat. */
const Snippet = z.strictObject({
  title: z.string().trim().min(1).max(80).regex(ONE_LINE, "It must be a single line of text."),
  text: z.string().min(1).max(MAX_CHARS),
})

/** The snippets of an owner, in their order. */
export const Snippets = z.strictObject({ snippets: z.array(Snippet).max(MAX_SNIPPETS) }).meta({ id: "Snippets" })
export type Snippets = z.infer<typeof Snippets>

export const defaultSnippets: Snippets = { snippets: [] }

/** The snippets as they are stored, with the number of times that they were changed. */
export const StoredSnippets = Snippets.extend({ version: z.int().nonnegative() }).meta({ id: "StoredSnippets" })

/** All of the snippets from now on. With a version, only if they still have it. */
export const SnippetsChange = StoredSnippets.partial({ version: true }).meta({ id: "SnippetsChange" })
