import { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { Scope } from "@switchyard/core/people/access/schema"
import { GitHostKind } from "@switchyard/core/people/git-hosts/schema"
import { Command, Option } from "commander"
import manifest from "../package.json" with { type: "json" }
import type { Cli } from "./cli.ts"
import { agents, ask, say } from "./commands/agents.ts"
import { attach, shell } from "./commands/attach.ts"
import { cancel } from "./commands/cancel.ts"
import { check } from "./commands/check.ts"
import { download } from "./commands/download.ts"
import { events } from "./commands/events.ts"
import { evidence } from "./commands/evidence.ts"
import { files } from "./commands/files.ts"
import { addGitHost, listGitHosts, removeGitHost } from "./commands/git-hosts.ts"
import { models } from "./commands/models.ts"
import { pullRequest } from "./commands/pull-request.ts"
import { answer, questions } from "./commands/questions.ts"
import { resume } from "./commands/resume.ts"
import { run } from "./commands/run.ts"
import { status } from "./commands/status.ts"
import { changeTeam, listTeams, sayToTeam, team, teamStatus } from "./commands/team.ts"
import { cancelTrigger, teamMemory, teamTriggers, wakeTeam } from "./commands/team-triggers.ts"
import { createToken, listTokens, revokeToken, whoami } from "./commands/token.ts"
import { verification } from "./commands/verification.ts"
import { EXIT_HELP } from "./exit.ts"
import { days, natural, positive, scopes } from "./option-values.ts"
import { DETACH_KEY } from "./raw-input.ts"

/** Runs a command with the dependencies that the global options describe. */
export type Act = (command: Command, task: (cli: Cli) => Promise<number>) => Promise<void>

export function createProgram(act: Act): Command {
  const program = new Command("switchyard")
    .description("Run Switchyard from a terminal or a pipeline.")
    .version(manifest.version)
    .exitOverride()
    .addOption(
      new Option("--url <url>", "server URL (default: the running server's, else http://127.0.0.1:3000)").env(
        "SWITCHYARD_URL",
      ),
    )
    .addOption(new Option("--token <token>", "access token").env("SWITCHYARD_TOKEN"))
    .addOption(new Option("--api-key <key>", "API key of the model provider, for this run").env("SWITCHYARD_API_KEY"))
    .addOption(
      new Option("--patience <seconds>", "how long to retry while the server can't be reached")
        .default(60)
        .argParser(positive),
    )
    .option("--json", "write one JSON value per line to stdout, and nothing else")
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
      .description("start a run and watch it until it ends; Ctrl-C cancels it, a second Ctrl-C exits at once")
      .option(
        "--out <dir>",
        "download the project into this new or empty directory; of a run that failed, what there is",
      )
      .option("--force", "merge into a directory that is not empty")
      .option("--workspace <id>", "continue in this workspace instead of a new one")
      .option("--model <model>", "for example anthropic/claude-sonnet-5; see models (default: the server's model)")
      .option("--agent <account>", "use the command-line agent of this account, for example claude")
      .option("--repository <path>", "with --agent: the git repository to work in, a folder or a URL to clone")
      .option("--base-branch <branch>", "with --repository: the branch to begin from (default: what is checked out)")
      .option("--branch <branch>", "with --repository: work on this branch, and in its worktree where there is one")
      .option("--resume-session <id>", "with --agent: go on with a session of its program in your home, or the latest")
      .addOption(
        new Option("--mode <mode>", "with --agent: what it may do unasked (default: as before, or bypass)").choices(
          PermissionMode.options,
        ),
      )
      .option("--check", "install, test and start what was built before the run ends, and have mended what fails")
      .option("--review", "have a model compare the files with the prompt at the end, and have mended what is missing")
      .option("--no-review", "don't (default: as the server is set up)")
      .option("--verify", "with --agent: succeed only if the project's own checks pass on the commit of the work")
      .option(
        "--allow-test-changes",
        "with --verify: let the agent change tests that were there before, and how they are run",
      )
      .option("--junit <file>", "with --verify or --check: write the verdict to this file, as JUnit's XML")
      .option("--sarif <file>", "with --verify: write what speaks against the work to this file, as SARIF")
      .option("--consent", "with --agent or --check: allow that to run commands there without asking, from now on")
      .option("--detach", "print the run's id and exit; with --timeout, watch it until then")
      .option("--timeout <seconds>", "cancel the run after this long (with --detach: only stop watching)", positive)
      .action((prompt, options, command) => act(command, (cli) => run(cli, prompt, options))),
    new Command("resume")
      .argument("<run>")
      .description("go on with a run that failed, was cancelled or is parked, and watch it until it ends")
      .option("--model <model>", "go on with another model")
      .option("--out <dir>", "download the finished project into this new or empty directory")
      .option("--force", "merge into a directory that is not empty")
      .option("--timeout <seconds>", "cancel the run after this long", positive)
      .action((runId, options, command) => act(command, (cli) => resume(cli, runId, options))),
    new Command("check")
      .description("install, build, test and start the files of a workspace (default: the newest run's)")
      .option("--workspace <id>")
      .option("--run <run>")
      .option("--junit <file>", "write the verdict to this file, as JUnit's XML")
      .option("--consent", "allow checks to run what was built on the server's machine, from now on")
      .option("--install <command>", "from now on, install by this command; an empty one is found in the files again")
      .option("--build <command>", "the same for building")
      .option("--lint <command>", "the same for linting")
      .option("--test <command>", "the same for testing")
      .option("--start <command>", "the same for starting")
      .action((options, command) => act(command, (cli) => check(cli, options))),
    new Command("evidence")
      .argument("<session>")
      .description("show what checks found out about an agent's work; succeeds if they passed on the work as it is")
      .option("--worktree <name>", "another worktree of the session than main")
      .option("--sarif <file>", "write what speaks against the work to this file, as SARIF")
      .action((sessionId, options, command) => act(command, (cli) => evidence(cli, sessionId, options))),
    new Command("verification")
      .argument("<session>")
      .description("show whether a session's tasks are verified, and set it for later ones")
      .option("--on", "verify them")
      .option("--off", "don't, whatever is set for the repository")
      .option("--inherit", "do as it is set for the repository, or else don't")
      .option("--allow-test-changes", "let agents change tests that were there before")
      .option("--no-allow-test-changes", "don't")
      .option("--attempts <number>", "how often an agent may try to pass, 1 to 5", positive)
      .option("--consent", "allow checks to run the project's commands on the server's machine, from now on")
      .action((sessionId, options, command) => act(command, (cli) => verification(cli, sessionId, options))),
    new Command("attach")
      .argument("<session>")
      .description(`open an agent's terminal; ${DETACH_KEY} detaches and leaves it running`)
      .action((sessionId, _options, command) => act(command, (cli) => attach(cli, sessionId, process))),
    new Command("shell")
      .argument("<session>")
      .description(`open a shell in the worktree of a session; ${DETACH_KEY} detaches, and it ends when nobody looks`)
      .option("--worktree <name>", "another worktree of the session than main")
      .action((sessionId, options, command) => act(command, (cli) => shell(cli, sessionId, options, process))),
    new Command("events")
      .argument("<run>")
      .description("show the events of a run")
      .option("--follow", "keep watching until the run ends, and exit with its result")
      .option("--since <seq>", "only events after this one", natural, 0)
      .action((runId, options, command) => act(command, (cli) => events(cli, runId, options))),
    new Command("files")
      .description("list the files of a workspace (default: the newest run's)")
      .option("--workspace <id>")
      .option("--run <run>")
      .action((options, command) => act(command, (cli) => files(cli, options))),
    new Command("download")
      .description("download the files of a workspace (default: the newest run's)")
      .option("--workspace <id>")
      .option("--run <run>")
      .option("--out <dir>", "unpack into this new or empty directory (default: one named after the workspace)")
      .option("--zip <file>", "save as a zip")
      .option("--force", "merge into a directory that is not empty, or replace the zip")
      .action((options, command) => act(command, (cli) => download(cli, options))),
    new Command("cancel")
      .argument("<run>")
      .description("ask the server to stop a run")
      .action((runId, _options, command) => act(command, (cli) => cancel(cli, runId))),
    new Command("status")
      .argument("[run]")
      .description("show the status of a run, or of the server and its recent runs")
      .action((runId, _options, command) => act(command, (cli) => status(cli, runId))),
    new Command("agents")
      .argument("<session>")
      .description("list the agents of a session, and add or close one")
      .option("--add <name>", "add an agent of this name first")
      .option("--agent <account>", "with --add: the command-line agent of this account, for example claude")
      .option("--model <model>", "with --add: its model (default: the account's)")
      .addOption(
        new Option("--mode <mode>", "with --add: what it may do unasked (default: ask)").choices(
          PermissionMode.options,
        ),
      )
      .option("--worktree <name>", "with --add: own, shared or the name of one (default: own)")
      .option("--consent", "with --add: allow it to run commands there without asking, from now on")
      .option("--close <name>", "close this agent first; its worktree stays")
      .action((sessionId, options, command) => act(command, (cli) => agents(cli, sessionId, options))),
    new Command("say")
      .argument("<session>")
      .argument("<agent>", "its name, as shown by agents")
      .argument("<message>", '"-" reads it from stdin')
      .description("send a message to an agent; one that is busy gets it after its turn")
      .action((sessionId, agent, message, _options, command) =>
        act(command, (cli) => say(cli, sessionId, agent, message)),
      ),
    new Command("ask")
      .argument("<session>")
      .argument("<agent>", "its name, as shown by agents")
      .argument("<message>", '"-" reads it from stdin')
      .description("send a message to an agent, and print what it says")
      .action((sessionId, agent, message, _options, command) =>
        act(command, (cli) => ask(cli, sessionId, agent, message)),
      ),
    new Command("chat")
      .argument("[session]", "whose files it is about (default: a new session)")
      .description(
        "chat about the files of a session, and have them edited; Ctrl-C stops an answer, a second one leaves",
      )
      .option("--workspace <id>", "the same, by the workspace")
      .option(
        "--repository <place>",
        "in a new session, about this repository: a folder of the server's machine or a URL",
      )
      .option("--message <text>", 'send this, print the answer and exit; "-" reads it from stdin, as a pipe does')
      .option("--model <model>", "for example anthropic/claude-sonnet-5; see models (default: the server's model)")
      .option("--review", "apply no edits")
      .action((sessionId, options, command) =>
        act(command, async (cli) => {
          // Its prompt is loaded by nobody else.
          const { chat } = await import("./commands/chat.ts")
          return chat(cli, sessionId, options, process)
        }),
      ),
    new Command("questions")
      .description("list what agents ask, in all sessions")
      .action((_options, command) => act(command, questions)),
    new Command("answer")
      .argument("<question>", "its id, as shown by questions")
      .argument("<answer>", '"allow" or "deny"; of a choice, the label of an option')
      .option("--session", "with allow: also later uses like it, in this session")
      .option("--edits", "with allow: also all edits in its worktree from now on")
      .option("--text <text>", "with deny: what the agent should do instead")
      .description("answer what an agent asks; the first answer counts")
      .action((id, word, options, command) => act(command, (cli) => answer(cli, id, word, options))),
    new Command("acp")
      .description("be the agent of an editor: speak the Agent Client Protocol on stdin and stdout")
      .requiredOption("--agent <account>", "the command-line agent that does the work, for example claude")
      .option("--model <model>", "the agent's model (default: the account's)")
      .addOption(
        new Option("--mode <mode>", "what it may do unasked at first").choices(PermissionMode.options).default("ask"),
      )
      .option(
        "--repository <url>",
        "what to work in (default: the editor's folder; on another machine, what that was cloned from)",
      )
      .option("--consent", "allow agents to run commands there without asking, in the mode bypass")
      .action((options, command) =>
        act(command, async (cli) => {
          // Its protocol is loaded by nobody else.
          const { acp } = await import("./commands/acp.ts")
          return acp(cli, options, process)
        }),
      ),
    new Command("models")
      .argument("[provider]", "list this provider's models, for example groq")
      .description("show the model providers and where their keys come from, or a provider's models")
      .action((provider, _options, command) => act(command, (cli) => models(cli, provider))),
    new Command("usage")
      .description("show the tokens that your runs used, and their cost as far as it is known")
      .option(
        "--by <names>",
        "put together by day, account, provider, model, repository, session, run, agent or kind",
        "day",
      )
      .option("--from <day>", "the first day, YYYY-MM-DD in UTC (default: 29 days before the last)")
      .option("--to <day>", "the last day (default: today)")
      .option("--csv", "print comma-separated values")
      .action((options, command) =>
        act(command, async (cli) => {
          // Its table is loaded by nobody else.
          const { usage } = await import("./commands/usage.ts")
          return usage(cli, options)
        }),
      ),
    new Command("budget")
      .description("show or set the most that your runs may use, in a day or month of UTC")
      .option("--day <dollars>", "the most for a day, or none")
      .option("--month <dollars>", "the most for a calendar month, or none")
      .option("--day-tokens <number>", "the same in tokens")
      .option("--month-tokens <number>", "the same in tokens")
      .action((options, command) =>
        act(command, async (cli) => {
          const { budget } = await import("./commands/budget.ts")
          return budget(cli, options)
        }),
      ),
    new Command("whoami")
      .description("show who you are on the server")
      .action((_options, command) => act(command, whoami)),
    new Command("token")
      .description("manage access tokens")
      .addCommand(newToken(act))
      .addCommand(
        new Command("list")
          .description("list your tokens (all tokens, for an admin)")
          .action((_options, command) => act(command, listTokens)),
      )
      .addCommand(
        new Command("revoke")
          .argument("<token>", "its id, as shown by token list")
          .description("revoke a token and every login made with it")
          .action((id, _options, command) => act(command, (cli) => revokeToken(cli, id))),
      ),
    gitHosts(act),
    teams(act),
    new Command("pr")
      .argument("<session>", "a session whose agent worked in a repository on a git host")
      .description("push its branch, and open a pull request with the task, the result and the checks, or update it")
      .option("--worktree <name>", "the worktree (default: main)")
      .option("--title <title>", "default: the first line of the task")
      .option("--base <branch>", "the branch to merge into (default: the worktree's target branch)")
      .option("--draft", "open it as a draft")
      .action((id, options, command) => act(command, (cli) => pullRequest(cli, id, options))),
  ]
}

function gitHosts(act: Act): Command {
  return new Command("git-hosts")
    .description("manage your tokens for git hosts, which sessions clone and push with")
    .addCommand(
      new Command("add")
        .argument("<host>", "for example github.com")
        .description("add a token for a host, or replace it; the token is read from stdin")
        .addOption(
          new Option("--kind <kind>", "what runs there, if it isn't a well-known host").choices(GitHostKind.options),
        )
        .option("--username <name>", "for a token that belongs to a user name, such as a deploy token")
        .option("--api-url <url>", "the address of its API (default: the usual one)")
        .option("--http", "reach it by http instead of https")
        .action((host, options, command) => act(command, (cli) => addGitHost(cli, host, options))),
    )
    .addCommand(
      new Command("list")
        .description("list the hosts that you have a token for")
        .action((_options, command) => act(command, listGitHosts)),
    )
    .addCommand(
      new Command("remove")
        .argument("<host>", "as shown by git-hosts list")
        .description("delete the token for a host, also in the sessions that are open")
        .action((host, _options, command) => act(command, (cli) => removeGitHost(cli, host))),
    )
}

function newToken(act: Act): Command {
  return new Command("create")
    .description("create a token and print its secret, which is shown only once; needs an admin's token")
    .requiredOption("--name <name>", "where it is used")
    .option("--scope <scopes>", `permissions: ${Scope.options.join(", ")}`, scopes, ["run", "read"])
    .option("--expires-days <days>", "lifetime (default: unlimited)", days)
    .option("--owner <owner>", "owner (default: you)")
    .action((options, command) => act(command, (cli) => createToken(cli, options)))
}

function teams(act: Act): Command {
  const part = (name: string, description: string) => new Command(name).argument("<team>").description(description)
  const change = (to: "pause" | "resume" | "stop", description: string) =>
    part(to, description).action((id, _options, command) => act(command, (cli) => changeTeam(cli, id, to)))
  return new Command("team")
    .argument("[goal]", 'what a team shall reach; "-" reads it from stdin')
    .description("give a goal to a team and watch it until it ends; Ctrl-C cancels it, a second Ctrl-C exits at once")
    .option("--out <dir>", "download the project into this new or empty directory")
    .option("--force", "merge into a directory that is not empty")
    .option("--workspace <id>", "work in this workspace instead of a new one")
    .option("--model <model>", "of the coordinator and its workers (default: the server's model)")
    .option("--at-once <nodes>", "the nodes that are worked on at once, up to 4", positive)
    .option("--infinite", "let it go on after its goal was reached, for triggers and messages")
    .option("--detach", "print the team's id and exit")
    .option("--timeout <seconds>", "cancel the team after this long", positive)
    .action((goal, options, command) => act(command, (cli) => team(cli, goal, options)))
    .addCommand(
      part("status", "show the board of a team").action((id, _options, command) =>
        act(command, (cli) => teamStatus(cli, id)),
      ),
    )
    .addCommand(
      part("say", "write to the coordinator of a team, or to one of its members; one that was halted goes on")
        .argument("<message>", '"-" reads it from stdin')
        .option("--to <member>", "a worker's name, or all", "coordinator")
        .action((id, message, { to }, command) => act(command, (cli) => sayToTeam(cli, id, { message, to }))),
    )
    .addCommand(
      new Command("list")
        .description("list your teams")
        .action((_options, command) => act(command, (cli) => listTeams(cli))),
    )
    .addCommand(
      part("wake", "have a team woken later, again and again, or by another program")
        .argument("<message>", "for the coordinator")
        .option("--in <seconds>", "once, after this long", natural)
        .option("--every <seconds>", "again and again, every 60 seconds or more", natural)
        .option("--at <time>", "once, at this time, as 2026-12-24T18:00:00Z")
        .option("--cron <schedule>", 'by a schedule of five fields, as "0 7 * * *"')
        .option("--timezone <zone>", "of the schedule, as Europe/Berlin (default: UTC)")
        .option("--idle <seconds>", "after this long without work", natural)
        .option("--webhook", "by a POST to an address that is printed")
        .option("--to <worker>", "tell a worker instead of the coordinator")
        .action((id, message, options, command) => act(command, (cli) => wakeTeam(cli, id, message, options))),
    )
    .addCommand(
      part("triggers", "list the triggers of a team").action((id, _options, command) =>
        act(command, (cli) => teamTriggers(cli, id)),
      ),
    )
    .addCommand(
      part("cancel-trigger", "cancel a trigger of a team")
        .argument("<trigger>")
        .action((id, trigger, _options, command) => act(command, (cli) => cancelTrigger(cli, id, trigger))),
    )
    .addCommand(
      part("memory", "search what a team noted")
        .argument("<query>")
        .action((id, query, _options, command) => act(command, (cli) => teamMemory(cli, id, query))),
    )
    .addCommand(change("pause", "begin nothing new; what is under way stops after its present step"))
    .addCommand(change("stop", "interrupt the workers of a team; their nodes wait"))
    .addCommand(change("resume", "let a team go on where it was"))
}
