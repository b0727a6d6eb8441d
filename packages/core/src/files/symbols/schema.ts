import * as z from "zod"

/** A declaration in a file: a function, class or variable in code, and a heading, key, rule or element elsewhere. */
const Member = z.object({
  name: z.string(),
  kind: z.enum([
    ...["class", "interface", "struct", "trait", "implementation", "enum", "type", "module"],
    ...["function", "method", "property", "variable", "macro"],
    ...["heading", "key", "rule", "element"],
  ] as const),
  /** Declaration on one line, without its body. */
  signature: z.string(),
  /** 1-based line number. */
  line: z.int().positive(),
})
const FileSymbol = Member.extend({ members: z.array(Member) })
export type Member = z.infer<typeof Member>
export type FileSymbol = z.infer<typeof FileSymbol>

/** Declarations in a file, in order and nested one level deep. */
export const Outline = z.object({
  symbols: z.array(FileSymbol),
  /** True if the file has more declarations than listed. */
  isCut: z.boolean(),
})
export type Outline = z.infer<typeof Outline>

/** An import as written in the file. The file it refers to depends on the project's other files. */
export const FileImport = z.object({
  /** Module as written, but without quotes, such as `./a`, `..pkg.mod` or `stdio.h`. */
  module: z.string(),
  /** Imported names, if the import lists any. */
  names: z.array(z.string()),
})
export type FileImport = z.infer<typeof FileImport>

/** Facts about a file that depend only on its text and language. */
export const FileFacts = z.object({
  symbols: z.array(FileSymbol),
  imports: z.array(FileImport),
  /** Names of the functions and classes called in the file, in order and without duplicates. */
  calls: z.array(z.string()),
})
export type FileFacts = z.infer<typeof FileFacts>
