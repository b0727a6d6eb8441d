import type { Outline } from "./schema.ts"

/** An outline as a model reads it: a declaration a line, each behind its line's number, members indented. */
export function outlineText({ symbols, isCut }: Outline, { members: withMembers }: { members: boolean }): string {
  const lines = symbols.flatMap(({ line, signature, members }) => [
    `${line}: ${signature}`,
    ...(withMembers ? members.map((member) => `  ${member.line}: ${member.signature}`) : []),
  ])
  return [...lines, ...(isCut ? ["[There is more.]"] : [])].join("\n")
}
