import type { Outline } from "./schema.ts"

/** Formats an outline for a model: a line number and declaration per line, with indented members. */
export function outlineText({ symbols, isCut }: Outline, { members: withMembers }: { members: boolean }): string {
  const lines = symbols.flatMap(({ line, signature, members }) => [
    `${line}: ${signature}`,
    ...(withMembers ? members.map((member) => `  ${member.line}: ${member.signature}`) : []),
  ])
  return [...lines, ...(isCut ? ["[There is more.]"] : [])].join("\n")
}
