import * as z from "zod"
import { FileImport, Outline } from "../../files/symbols/schema.ts"

export const SymbolMapVariant = z
  .enum(["model", "editor"])
  .describe("`model` as in a prompt; `editor` with line numbers and referring files")

export const SymbolMap = z
  .object({
    variant: SymbolMapVariant,
    legend: z.string().describe("Explains the map's signs"),
    map: z.string(),
    files: z.int().nonnegative(),
    unparsed_files: z.int().nonnegative().describe("Code files that aren't parsed yet; the next turn parses them"),
  })
  .meta({ id: "SymbolMap" })
export type SymbolMap = z.infer<typeof SymbolMap>

export const FileSymbols = z
  .object({
    path: z.string(),
    is_code: z.boolean().describe("False for a file in an unsupported language"),
    symbols: Outline.shape.symbols,
    imports: z.array(FileImport),
  })
  .meta({ id: "FileSymbols" })
export type FileSymbols = z.infer<typeof FileSymbols>
