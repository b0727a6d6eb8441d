import { RELEASE } from "@switchyard/core/release"
import { Command, Option } from "commander"
import { EXIT_HELP } from "../errors/exit.ts"
import { positive } from "../input/option-values.ts"
import { accountCommands } from "./account.ts"
import type { Act } from "./act.ts"
import { agentCommands } from "./agents.ts"
import { bakeOffCommands } from "./bake-offs.ts"
import { runCommands } from "./runs.ts"
import { teamCommand } from "./teams.ts"

export function createProgram(act: Act): Command {
  const program = new Command("switchyard")
    .description("Run Switchyard from a terminal or a pipeline.")
    .version(RELEASE)
    .exitOverride()
    .addOption(
      new Option("--url <url>", "server URL (default: that of the running server, or http://127.0.0.1:3000)").env(
        "SWITCHYARD_URL",
      ),
    )
    .addOption(new Option("--token <token>", "access token").env("SWITCHYARD_TOKEN"))
    .addOption(new Option("--api-key <key>", "API key for the model provider, for this run").env("SWITCHYARD_API_KEY"))
    .addOption(
      new Option("--patience <seconds>", "how long to keep retrying if the server can't be reached")
        .default(60)
        .argParser(positive),
    )
    .option("--json", "write one JSON value per line to stdout and nothing else")
    .addHelpText("after", EXIT_HELP)
  const agents = [...agentCommands(act), ...bakeOffCommands(act), teamCommand(act)]
  for (const command of [...runCommands(act), ...agents, ...accountCommands(act)]) {
    program.addCommand(command.copyInheritedSettings(program))
    for (const part of command.commands) part.copyInheritedSettings(program)
  }
  return program
}
