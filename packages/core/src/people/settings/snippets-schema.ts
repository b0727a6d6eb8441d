import * as z from "zod"
import { ONE_LINE } from "../access/schema.ts"

/**
 * Limits that make sure that all of an owner's snippets fit into one record, even in scripts with several bytes per
 * character.
 */
const MAX_SNIPPETS = 50
const MAX_CHARS = 2000

/** A text that its owner often uses in chats. */
const Snippet = z.strictObject({
  title: z.string().trim().min(1).max(80).regex(ONE_LINE, "It must be a single line of text."),
  text: z.string().min(1).max(MAX_CHARS),
})

export const Snippets = z.strictObject({ snippets: z.array(Snippet).max(MAX_SNIPPETS) }).meta({ id: "Snippets" })
export type Snippets = z.infer<typeof Snippets>

export const defaultSnippets: Snippets = { snippets: [] }

/** Stored snippets, with a version that increases with every change. */
export const StoredSnippets = Snippets.extend({ version: z.int().nonnegative() }).meta({ id: "StoredSnippets" })

/** Replaces all snippets. If a version is given, it must be the stored version. */
export const SnippetsChange = StoredSnippets.partial({ version: true }).meta({ id: "SnippetsChange" })
