import { Command } from "commander"
import { bakeOff, bakeOffs } from "../commands/bake-off.ts"
import { positive } from "../input/option-values.ts"
import type { Act } from "./act.ts"

/** Creates the commands for bake-offs. */
export function bakeOffCommands(act: Act): Command[] {
  const entrants = (name: string, before: string[] = []) => [...before, name]
  return [
    new Command("bake-off")
      .argument("<task>", '"-" reads it from stdin')
      .description("give one task to several agents or models, each in its own worktree, and compare the results")
      .option(
        "--entrant <agent[=model]>",
        "an account or an agent, with an optional model; repeat for each entrant",
        entrants,
      )
      .option("--repository <place>", "a folder of the server's machine or a URL, for a new session")
      .option("--session <id>", "a session with a repository")
      .option("--base <branch>", "the branch where all begin (default: the checked-out branch)")
      .option("--no-verify", "compare the results without running the project's checks")
      .option("--attempts <count>", "attempts of each entrant to pass the checks", positive)
      .option("--reviewer <account>", "this agent reviews work after its checks have passed")
      .option(
        "--consent",
        "allow agents and checks to run commands there without asking, from now on, and the repository's files that start programs, exactly as they are in the commit from which the work begins",
      )
      .option("--detach", "print the bake-off's id and exit")
      .action(act(bakeOff)),
    new Command("bake-offs")
      .argument("<session>")
      .description("show the bake-offs of a session, or settle the newest open one")
      .option("--adopt <entrant>", "merge the work of this entrant, and discard the others")
      .option("--discard", "discard all entrants")
      .action(act(bakeOffs)),
  ]
}
