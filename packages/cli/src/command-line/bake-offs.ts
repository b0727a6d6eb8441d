import { Command } from "commander"
import { positive } from "../input/option-values.ts"
import type { Act } from "./act.ts"

export function bakeOffCommands(act: Act): Command[] {
  const entrants = (name: string, before: string[] = []) => [...before, name]
  return [
    new Command("bake-off")
      .argument("<task>", '"-" reads it from stdin')
      .description("give the same task to several agents or models, each in its own worktree, and compare the results")
      .option("--entrant <agent[=model]>", "account or agent, with an optional model; repeat for each agent", entrants)
      .option("--repository <place>", "repository for a new session: a folder on the server's machine, or a URL")
      .option("--session <id>", "session with a repository")
      .option("--base <branch>", "branch to start from (default: the checked-out branch)")
      .option("--no-verify", "compare the results without running the project's checks")
      .option("--attempts <count>", "how many attempts each agent has to pass the checks", positive)
      .option("--reviewer <account>", "agent that reviews work after its checks have passed")
      .option(
        "--consent",
        "allow agents and checks to run commands there without asking, now and in future, and allow the repository's files that start programs, exactly as they are in the commit that the work starts from",
      )
      .option("--detach", "print the comparison's id and exit")
      .action(act(async () => (await import("../commands/bake-off.ts")).bakeOff)),
    new Command("bake-offs")
      .argument("<session>")
      .description("show a session's comparisons of agents, or finish the newest open one")
      .option("--adopt <agent>", "keep this agent's work: merge it and discard the others")
      .option("--discard", "discard the work of all agents")
      .action(act(async () => (await import("../commands/bake-off.ts")).bakeOffs)),
  ]
}
