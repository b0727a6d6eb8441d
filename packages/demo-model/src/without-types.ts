import { stripTypeScriptTypes } from "node:module"

/** Returns the JavaScript version of a recipe's TypeScript file, with the same formatting. */
export function withoutTypes(typescript: string): string {
  // Node replaces each character of a type with a space. Mark those characters, to tell them from real spaces.
  const stripped = stripTypeScriptTypes(typescript)
  const marked = Array.from({ length: typescript.length }, (_, at) =>
    stripped[at] === typescript[at] ? typescript[at] : "\0",
  )
  return (
    marked
      .join("")
      // Remove lines that contained only types.
      .replaceAll(/^[^\S\n]*\0(?:[\0\s]*\0)?[^\S\n]*\n/gm, "")
      .replaceAll(/^\n+|(?<=\n\n)\n+/g, "")
      // A type may be between two words, so keep one space.
      .replaceAll(/( ?)\0(?:[\0 ]*\0)?( ?)/g, (_, before, after) => (before && after ? " " : after))
      .replaceAll(/,(?= \} from)/g, "")
      // Remove the parentheses around an awaited value that had a type.
      .replaceAll(/(?<=[=:] )\((await .*)\)(?=$| \})/gm, "$1")
      .replaceAll('.ts"', '.js"')
      .replaceAll("cli.ts", "cli.js")
  )
}
