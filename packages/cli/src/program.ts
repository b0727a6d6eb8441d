import { Scope } from "@switchyard/core/people/access/schema"
import { Command, CommanderError, InvalidArgumentError, Option } from "commander"
import manifest from "../package.json" with { type: "json" }
import { type Cli, createCli, type GlobalOptions } from "./cli.ts"
import { attach } from "./commands/attach.ts"
import { cancel } from "./commands/cancel.ts"
import { download } from "./commands/download.ts"
import { events } from "./commands/events.ts"
import { files } from "./commands/files.ts"
import { run } from "./commands/run.ts"
import { status } from "./commands/status.ts"
import { createToken, listTokens, revokeToken, whoami } from "./commands/token.ts"
import { EXIT, EXIT_HELP, exitCodeOfError } from "./exit.ts"
import { plain } from "./plain.ts"
import { DETACH_KEY } from "./typing.ts"

/** Resolves to the exit code. */
export async function runCommand(argv: string[]): Promise<number> {
  leaveWithTheReader()
  let code: number = EXIT.done
  let say = (text: string): void => {
    process.stderr.write(`${plain(text)}\n`)
  }
  /** Runs a command with what the global options make. */
  const act = async (command: Command, task: (cli: Cli) => Promise<number>) => {
    const cli = createCli(command.optsWithGlobals<GlobalOptions>(), process)
    say = cli.terminal.notice
    code = await task(cli)
  }
  try {
    await createProgram(act).parseAsync(argv)
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    say(`switchyard: ${error instanceof Error ? error.message : String(error)}`)
    return exitCodeOfError(error)
  }
}

type Act = (command: Command, task: (cli: Cli) => Promise<number>) => Promise<void>

function createProgram(act: Act): Command {
  const program = new Command("switchyard")
    .description("Have software written by a Switchyard server, from a terminal or a pipeline.")
    .version(manifest.version)
    .exitOverride()
    .addOption(new Option("--url <url>", "the server").default("http://127.0.0.1:3000").env("SWITCHYARD_URL"))
    .addOption(new Option("--token <token>", "who you are, for the server").env("SWITCHYARD_TOKEN"))
    .addOption(new Option("--api-key <key>", "the model provider's key, for this run").env("SWITCHYARD_API_KEY"))
    .addOption(
      new Option("--patience <seconds>", "how long the server may be out of reach").default(60).argParser(positive),
    )
    .option("--json", "one event or answer a line on stdout, and nothing else there")
    .addHelpText("after", EXIT_HELP)
  for (const command of commands(act)) {
    program.addCommand(command.copyInheritedSettings(program))
    for (const part of command.commands) part.copyInheritedSettings(program)
  }
  return program
}

function commands(act: Act): Command[] {
  return [
    new Command("run")
      .argument("<prompt>", 'what to build; "-" reads it from stdin')
      .description("start a run and watch it to its end; Ctrl-C cancels it, twice leaves it")
      .option("--out <dir>", "put the finished project into this new or empty directory")
      .option("--force", "merge into a directory that is not empty")
      .option("--workspace <id>", "go on in this workspace instead of a new one")
      .option("--model <model>", "such as anthropic/claude-sonnet-4-5; otherwise the server's choice")
      .option("--agent <account>", "have it done by the command-line agent of this account, such as claude")
      .option("--repository <path>", "of an agent: the git repository to work in, a folder or an address to clone")
      .option("--consent", "of an agent: it may run commands there without asking, now and from now on")
      .option("--detach", "print the run's id and leave it running; with --timeout, watch it until then")
      .option("--timeout <seconds>", "cancel the run after so long (leave it, with --detach)", positive)
      .action((prompt, options, command) => act(command, (cli) => run(cli, prompt, options))),
    new Command("attach")
      .argument("<session>")
      .description(`show an agent's terminal and type into it; ${DETACH_KEY} leaves it running`)
      .action((sessionId, _options, command) => act(command, (cli) => attach(cli, sessionId, process))),
    new Command("events")
      .argument("<run>")
      .description("show what happened in a run")
      .option("--follow", "until the run ends, and end as it did")
      .option("--since <seq>", "only what comes after this event", natural, 0)
      .action((runId, options, command) => act(command, (cli) => events(cli, runId, options))),
    new Command("files")
      .description("list a workspace's files; the newest run's, if none is named")
      .option("--workspace <id>")
      .option("--run <run>")
      .action((options, command) => act(command, (cli) => files(cli, options))),
    new Command("download")
      .description("fetch a workspace's files; the newest run's, if none is named")
      .option("--workspace <id>")
      .option("--run <run>")
      .option("--out <dir>", "unpack into this new or empty directory (default: one named after the workspace)")
      .option("--zip <file>", "keep it as a zip")
      .option("--force", "merge into a directory that is not empty, or replace the zip")
      .action((options, command) => act(command, (cli) => download(cli, options))),
    new Command("cancel")
      .argument("<run>")
      .description("ask the server to stop a run")
      .action((runId, _options, command) => act(command, (cli) => cancel(cli, runId))),
    new Command("status")
      .argument("[run]")
      .description("tell how a run is, or how the server is and what it did lately")
      .action((runId, _options, command) => act(command, (cli) => status(cli, runId))),
    new Command("whoami")
      .description("tell whom the server takes you for")
      .action((_options, command) => act(command, whoami)),
    new Command("token")
      .description("manage the tokens that let people and pipelines in")
      .addCommand(newToken(act))
      .addCommand(
        new Command("list")
          .description("list your tokens; an admin's lists everybody's")
          .action((_options, command) => act(command, listTokens)),
      )
      .addCommand(
        new Command("revoke")
          .argument("<token>", "its id, as the list shows it")
          .description("end a token, and every login that was made with it")
          .action((id, _options, command) => act(command, (cli) => revokeToken(cli, id))),
      ),
  ]
}

function newToken(act: Act): Command {
  return new Command("create")
    .description("make a token and print its secret, this once; takes an admin's token")
    .requiredOption("--name <name>", "where it will be used")
    .option("--scope <scopes>", `what it may do, of ${Scope.options.join(", ")}`, scopes, ["run", "read"])
    .option("--expires-days <days>", "how long it is good for (default: for ever)", days)
    .option("--owner <owner>", "whose it is (default: yours)")
    .action((options, command) => act(command, (cli) => createToken(cli, options)))
}

function positive(text: string): number {
  const number = Number(text)
  // More than timers can count would be no time at all.
  if (number > 0 && number <= 2_000_000) return number
  throw new InvalidArgumentError("It must be a number of seconds above 0.")
}

function natural(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new InvalidArgumentError("It must be a whole number from 0.")
}

function days(text: string): number {
  const number = natural(text)
  if (number > 0) return number
  throw new InvalidArgumentError("It must be at least one day.")
}

function scopes(text: string): Scope[] {
  return text.split(",").map((part) => {
    const scope = Scope.safeParse(part.trim())
    if (scope.success) return scope.data
    throw new InvalidArgumentError(`It must be some of ${Scope.options.join(",")}.`)
  })
}

/** A reader such as `head` that has seen enough is no fault, and no success either: end as Unix's own tools do. */
function leaveWithTheReader() {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 141 : EXIT.failed)
  })
}
