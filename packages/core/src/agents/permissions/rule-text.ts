import { showBidiControls } from "../../text/bidi-controls.ts"

/** Fields that define the scope of a rule. */
interface ShownRule {
  tool: string
  path?: string | undefined
  command?: string | undefined
  exact?: boolean | undefined
  name?: string | undefined
}

/** Describes a rule's scope exactly, for people who decide whether to create the rule. */
export function ruleText({ tool, path, command, exact, name }: ShownRule): string {
  if (command !== undefined)
    return `${exact ? "only this command" : "commands that begin with"}: ${showBidiControls(command)}`
  const subject = name ?? (tool === "any" ? "any tool" : tool)
  if (path === undefined) return `every use of ${showBidiControls(subject)}`
  return `${subject}, ${path === "**" ? "all files of the worktree, except protected ones" : `only this file: ${showBidiControls(path)}`}`
}
