import type { Rule } from "../../kernel/session-log.ts"
import { anyOf, changed, looseningRefused, type ProtectedOptions } from "../../protections.ts"
import { CheckCommands, CheckName, type RepositoryChecks } from "./schema.ts"

/** No order is known among commands: any other may check less, also in place of one that is found. */
export const loosensChecks = anyOf<RepositoryChecks>({
  ...{ install: changed, build: changed, lint: changed, test: changed, start: changed },
  project_type: changed,
})

/** Sets the commands by which the session's files are checked, in place of those that were set before. */
export function setCheckCommands(commands: CheckCommands, by: Pick<ProtectedOptions, "mayLoosen">): Rule {
  return ({ workspace: { checkCommands } }) => {
    const isSame = CheckName.options.every((name) => commands[name] === checkCommands[name])
    if (isSame) return []
    const refused = looseningRefused("the checks of this session", by)
    return refused ?? [{ type: "check_commands_set", commands: CheckCommands.parse(commands) }]
  }
}

/**
 * The programs that a command starts, as far as it names them: the first word of each of its parts, without variables that are
 * set for it. What the shell itself does isn't among them.
 */
export function programsOf(command: string): string[] {
  const parts = command.split(/&&|\|\||[;|&]/)
  const words = parts.flatMap((part) => part.split(" ").find((word) => word !== "" && !word.includes("=")) ?? [])
  return [...new Set(words)].filter((word) => /^[a-z][\w.+-]*$/i.test(word) && !BUILTINS.has(word))
}

const BUILTINS: ReadonlySet<string> = new Set([
  "cd",
  "echo",
  "exec",
  "exit",
  "export",
  "false",
  "if",
  "printf",
  "read",
  "set",
  "test",
  "time",
  "true",
  "wait",
  "while",
])
