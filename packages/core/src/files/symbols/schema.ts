import * as z from "zod"

/** A declaration of a file: of code a function, class, constant and the like, elsewhere a heading, a key, a rule or an element. */
const Member = z.object({
  name: z.string(),
  kind: z.enum([
    ...["class", "interface", "struct", "trait", "implementation", "enum", "type", "module"],
    ...["function", "method", "property", "variable", "macro"],
    ...["heading", "key", "rule", "element"],
  ] as const),
  /** The declaration without its body, on one line. */
  signature: z.string(),
  /** From 1. */
  line: z.int().positive(),
})
const FileSymbol = Member.extend({ members: z.array(Member) })
export type Member = z.infer<typeof Member>
export type FileSymbol = z.infer<typeof FileSymbol>

/** The declarations of a file in their order, nested one level. */
export const Outline = z.object({
  symbols: z.array(FileSymbol),
  /** Whether the file has more than this. */
  isCut: z.boolean(),
})
export type Outline = z.infer<typeof Outline>

/** An import as a file has it; what it leads to depends on the other files. */
export const FileImport = z.object({
  /** As it is written, without quotes: `./a`, `..pkg.mod`, `stdio.h`. */
  module: z.string(),
  /** Names that are taken from it, where they are listed. */
  names: z.array(z.string()),
})
export type FileImport = z.infer<typeof FileImport>

/** The facts about a file that depend on its text alone. */
export const FileFacts = z.object({
  symbols: z.array(FileSymbol),
  imports: z.array(FileImport),
  /** Names of functions and classes that it calls, each once, in order. */
  calls: z.array(z.string()),
})
export type FileFacts = z.infer<typeof FileFacts>
