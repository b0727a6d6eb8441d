import { Command } from "commander"
import { bakeOff, bakeOffs } from "../commands/bake-off.ts"
import { positive } from "../option-values.ts"
import type { Act } from "./act.ts"

/** Commands for bake-offs. */
export function bakeOffCommands(act: Act): Command[] {
  const entrants = (name: string, before: string[] = []) => [...before, name]
  return [
    new Command("bake-off")
      .argument("<task>", '"-" reads it from stdin')
      .description("give one task to several agents or models, each in a worktree of its own, and compare the results")
      .option("--entrant <agent[=model]>", "an account or an agent, with a model if you like; once for each", entrants)
      .option("--repository <place>", "a folder of the server's machine or a URL, for a new session")
      .option("--session <id>", "a session that is in a repository")
      .option("--base <branch>", "the branch that all begin at (default: the one that is checked out)")
      .option("--no-verify", "compare the results without running the project's checks on them")
      .option("--attempts <count>", "the attempts that each has to pass the checks", positive)
      .option("--reviewer <account>", "have this agent review what passed its checks")
      .option(
        "--consent",
        "allow agents and checks to run commands there without asking, from now on, and the repository's files that start programs, exactly as they are in the commit from which the work begins",
      )
      .option("--detach", "print the bake-off's id and exit")
      .action((task, options, command) => act(command, (cli) => bakeOff(cli, task, options))),
    new Command("bake-offs")
      .argument("<session>")
      .description("show the bake-offs of a session, and settle the newest that is open")
      .option("--adopt <entrant>", "merge the work of this one, and discard the others")
      .option("--discard", "discard all of them")
      .action((id, options, command) => act(command, (cli) => bakeOffs(cli, id, options))),
  ]
}
