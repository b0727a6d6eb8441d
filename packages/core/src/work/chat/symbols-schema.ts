import * as z from "zod"
import { FileImport, Outline } from "../../files/symbols/schema.ts"

export const SymbolMapVariant = z
  .enum(["model", "editor"])
  .describe("model: as a prompt has it. editor: with line numbers, and the files that refer to each")

export const SymbolMap = z
  .object({
    variant: SymbolMapVariant,
    legend: z.string().describe("Explains the map's signs"),
    map: z.string(),
    files: z.int().nonnegative(),
    unparsed_files: z.int().nonnegative().describe("Files of code that nobody has parsed yet: a turn does that"),
  })
  .meta({ id: "SymbolMap" })
export type SymbolMap = z.infer<typeof SymbolMap>

export const FileSymbols = z
  .object({
    path: z.string(),
    is_code: z.boolean().describe("False for a file of a language that isn't known here"),
    symbols: Outline.shape.symbols,
    imports: z.array(FileImport),
  })
  .meta({ id: "FileSymbols" })
export type FileSymbols = z.infer<typeof FileSymbols>
