import type { Rule } from "../../kernel/session-log.ts"
import { anyOf, changed, looseningRefused, type ProtectedOptions } from "../../protections.ts"
import { CheckCommands, CheckName, type RepositoryChecks } from "./schema.ts"

/**
 * Returns true if any command or the project type changes. Any change counts, because commands can't be compared, and a
 * new command might check less than the old one.
 */
export const loosensChecks = anyOf<RepositoryChecks>({
  ...{ install: changed, build: changed, lint: changed, test: changed, start: changed },
  project_type: changed,
})

/** Sets the commands that check the session's files, and replaces earlier commands. */
export function setCheckCommands(commands: CheckCommands, by: Pick<ProtectedOptions, "mayLoosen">): Rule {
  return ({ workspace: { checkCommands } }) => {
    const isSame = CheckName.options.every((name) => commands[name] === checkCommands[name])
    if (isSame) return []
    const refused = looseningRefused("the checks of this session", by)
    return refused ?? [{ type: "check_commands_set", commands: CheckCommands.parse(commands) }]
  }
}

/**
 * Returns the programs that a shell command uses: the first word of each part, after variable assignments. Leaves out
 * shell builtins.
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
