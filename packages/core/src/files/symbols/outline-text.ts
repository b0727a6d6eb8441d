import type { Outline } from "./schema.ts"

/** Formats an outline for a model, with one line number and declaration per line. Members are indented. */
export function outlineText({ symbols, isCut }: Outline, { members: withMembers }: { members: boolean }): string {
  const lines = symbols.flatMap(({ line, signature, members }) => [
    `${line}: ${signature}`,
    ...(withMembers ? members.map((member) => `  ${member.line}: ${member.signature}`) : []),
  ])
  return [...lines, ...(isCut ? ["[There is more.]"] : [])].join("\n")
}
