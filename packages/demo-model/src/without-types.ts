import { stripTypeScriptTypes } from "node:module"

/** Returns the JavaScript of a recipe's TypeScript file, formatted as the recipe is. */
export function withoutTypes(typescript: string): string {
  // Node replaces each character of a type by a space.
  const stripped = stripTypeScriptTypes(typescript)
  const marked = Array.from({ length: typescript.length }, (_, at) =>
    stripped[at] === typescript[at] ? typescript[at] : "\0",
  )
  return (
    marked
      .join("")
      // Whole lines.
      .replaceAll(/^[^\S\n]*\0(?:[\0\s]*\0)?[^\S\n]*\n/gm, "")
      .replaceAll(/^\n+|(?<=\n\n)\n+/g, "")
      // A type may be between two words.
      .replaceAll(/( ?)\0(?:[\0 ]*\0)?( ?)/g, (_, before, after) => (before && after ? " " : after))
      .replaceAll(/,(?= \} from)/g, "")
      // Parentheses around an awaited value that had a type.
      .replaceAll(/(?<=[=:] )\((await .*)\)(?=$| \})/gm, "$1")
      .replaceAll('.ts"', '.js"')
      .replaceAll("cli.ts", "cli.js")
  )
}
