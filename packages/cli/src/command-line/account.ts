import { BuiltInCli } from "@switchyard/core/agents/clis/clis"
import { Scope } from "@switchyard/core/people/access/schema"
import { GitHookKind } from "@switchyard/core/people/git-hooks/schema"
import { GitHostKind } from "@switchyard/core/people/git-hosts/schema"
import { Argument, Command, Option } from "commander"
import { days, scopes } from "../input/option-values.ts"
import type { Act } from "./act.ts"

/** Creates the commands for the caller's models, usage, tokens, accounts and git hosts. */
export function accountCommands(act: Act): Command[] {
  return [
    new Command("open")
      .description("open your preferred interface: print the studio's URL, or start a chat in this terminal")
      .action(
        act(async () => {
          const { open } = await import("../commands/open.ts")
          return (cli) => open(cli, process)
        }),
      ),
    new Command("models")
      .argument("[provider]", "list this provider's models, for example groq")
      .description("list the model providers and where their keys come from, or one provider's models")
      .action(act(async () => (await import("../commands/models.ts")).models)),
    new Command("usage")
      .description("show how many tokens your runs used, and what they cost if known")
      .option("--by <names>", "group by day, account, provider, model, repository, session, run, agent or kind", "day")
      .option("--from <day>", "first day, YYYY-MM-DD in UTC (default: 29 days before the last day)")
      .option("--to <day>", "last day (default: today)")
      .option("--csv", "print CSV")
      .option("--owner <owner>", "the usage of this owner; requires an admin's token")
      .action(act(async () => (await import("../commands/usage.ts")).usage)),
    new Command("budget")
      .description("show or set your budget per day or month (UTC), or the total budget of a session or run")
      .option("--day <dollars>", "budget per day, or none")
      .option("--month <dollars>", "budget per calendar month, or none")
      .option("--day-tokens <number>", "the same in tokens")
      .option("--month-tokens <number>", "the same in tokens")
      .option("--session <id>", "instead, the total budget of this session")
      .option("--run <id>", "instead, the total budget of this run")
      .option("--usd <dollars>", "with --session or --run: its budget, or none")
      .option("--tokens <number>", "the same in tokens")
      .option("--minutes <number>", "the same in minutes of work")
      .option("--owner <owner>", "the budget of this owner; requires an admin's token")
      .action(act(async () => (await import("../commands/budget.ts")).budget)),
    new Command("owners")
      .description("list all owners with their usage and budgets; requires an admin's token")
      .action(act(async () => (await import("../commands/budget.ts")).owners)),
    new Command("whoami")
      .description("show who you are on the server")
      .action(act(async () => (await import("../commands/token.ts")).whoami)),
    new Command("token")
      .description("manage access tokens")
      .addCommand(newToken(act))
      .addCommand(
        new Command("list")
          .description("list your tokens (all tokens, for an admin)")
          .action(act(async () => (await import("../commands/token.ts")).listTokens)),
      )
      .addCommand(
        new Command("revoke")
          .argument("<token>", "its id, as shown by token list")
          .description("revoke a token and all logins made with it")
          .action(act(async () => (await import("../commands/token.ts")).revokeToken)),
      ),
    accounts(act),
    consents(act),
    agentSetup(act),
    gitHosts(act),
    gitHooks(act),
  ]
}

function accounts(act: Act): Command {
  return new Command("accounts")
    .description("manage your agents' accounts and their keys")
    .addCommand(
      new Command("add")
        .argument("<name>", "a name of your choice, such as work, to use with --agent")
        .description("add an account, reading its key from stdin")
        .requiredOption(
          "--provider <agent>",
          `its agent: ${BuiltInCli.options.join(", ")}, or one that the server adds`,
        )
        .option("--model <model>", "model for its agent (default: the agent's choice)")
        .option("--base-url <url>", "URL of the provider's API (default: the usual one)")
        .action(act(async () => (await import("../commands/accounts.ts")).addAccount)),
    )
    .addCommand(
      new Command("list")
        .description("list your accounts, without their keys")
        .action(act(async () => (await import("../commands/accounts.ts")).listAccounts)),
    )
    .addCommand(
      new Command("key")
        .argument("<name>", "as shown by accounts list")
        .description("replace an account's key, reading the new one from stdin")
        .action(act(async () => (await import("../commands/accounts.ts")).changeAccountKey)),
    )
    .addCommand(
      new Command("login")
        .argument("<name>", "the account; created if it doesn't exist")
        .description("replace an account's key with its agent's own login, by logging in here")
        .requiredOption(
          "--provider <agent>",
          `its agent: ${BuiltInCli.options.join(", ")}, or one that the server adds`,
        )
        .option("--from <folder>", "use an existing login, for example ~/.codex")
        .option(
          "--consent",
          "agree that the agent receives the login itself; without this option, the command shows the terms",
        )
        .action(act(async () => (await import("../commands/account-login.ts")).logInAccount)),
    )
    .addCommand(
      new Command("remove")
        .argument("<name>", "as shown by accounts list")
        .description("delete an account and its key or login")
        .action(act(async () => (await import("../commands/accounts.ts")).removeAccount)),
    )
}

function consents(act: Act): Command {
  return new Command("consents")
    .description("manage your consents to running things on the server's machine without asking")
    .addCommand(
      new Command("list")
        .description("list your consents and their files")
        .action(act(async () => (await import("../commands/consents.ts")).listConsents)),
    )
    .addCommand(
      new Command("withdraw")
        .argument("<consent>", "its id, as shown by consents list")
        .description("withdraw a consent; applies to later work")
        .action(act(async () => (await import("../commands/consents.ts")).withdrawConsent)),
    )
}

function agentSetup(act: Act): Command {
  return new Command("agent-setup")
    .description("let agents use your own instructions, skills and commands from the home on the server's machine")
    .addCommand(
      new Command("list")
        .description("list them with sizes and hashes, and what agents won't get")
        .action(act(async () => (await import("../commands/agent-setup.ts")).showSetups)),
    )
    .addCommand(
      new Command("allow")
        .addArgument(new Argument("<program>", "the agent's program").choices(BuiltInCli.options))
        .description("show the setup for a program and let its agents use exactly this content")
        .option("--consent", "allow it; without this option, the command only shows it")
        .action(act(async () => (await import("../commands/agent-setup.ts")).allowSetup)),
    )
}

function gitHosts(act: Act): Command {
  return new Command("git-hosts")
    .description("manage your tokens for git hosts, which sessions use to clone and push")
    .addCommand(
      new Command("add")
        .argument("<host>", "for example github.com")
        .description("add or replace the token for a host, reading it from stdin")
        .addOption(
          new Option("--kind <kind>", "software of the host, if it isn't a well-known host").choices(
            GitHostKind.options,
          ),
        )
        .option("--username <name>", "user name, for tokens that need one, such as deploy tokens")
        .option("--api-url <url>", "URL of its API (default: the usual one)")
        .option("--http", "connect over http instead of https")
        .action(act(async () => (await import("../commands/git-hosts.ts")).addGitHost)),
    )
    .addCommand(
      new Command("list")
        .description("list your git hosts")
        .action(act(async () => (await import("../commands/git-hosts.ts")).listGitHosts)),
    )
    .addCommand(
      new Command("remove")
        .argument("<host>", "as shown by git-hosts list")
        .description("delete the token for a host; applies to open sessions, too")
        .action(act(async () => (await import("../commands/git-hosts.ts")).removeGitHost)),
    )
}

function gitHooks(act: Act): Command {
  return new Command("git-hooks")
    .description("let repositories' hosts start agent runs")
    .addCommand(
      new Command("add")
        .argument("<repository>", "its URL, as for a session")
        .description("add a hook, and print the path and secret for the host's settings")
        .addOption(
          new Option("--kind <kind>", "software of the host").choices(GitHookKind.options).makeOptionMandatory(),
        )
        .requiredOption("--agent <agent>", "account or agent that does the work")
        .option("--label <labels...>", "start a run when an issue gets one of these labels")
        .option("--comment", "start a run when a comment starts with @switchyard and a task")
        .option("--check-failed", "start a run when a check or pipeline fails on a branch")
        .option("--user <logins...>", "users whose comments count (default on GitHub: the repository's members)")
        .action(act(async () => (await import("../commands/git-hooks.ts")).addGitHook)),
    )
    .addCommand(
      new Command("list")
        .description("list your git hooks, without their secrets")
        .action(act(async () => (await import("../commands/git-hooks.ts")).listGitHooks)),
    )
    .addCommand(
      new Command("remove")
        .argument("<hook>", "its id, as shown by git-hooks list")
        .description("delete a git hook")
        .action(act(async () => (await import("../commands/git-hooks.ts")).removeGitHook)),
    )
}

function newToken(act: Act): Command {
  return new Command("create")
    .description("create a token and print its secret, which is shown only once; requires an admin's token")
    .requiredOption("--name <name>", "where it is used")
    .option("--scope <scopes>", `permissions: ${Scope.options.join(", ")}`, scopes, ["run", "read"])
    .option("--expires-days <days>", "lifetime (default: unlimited)", days)
    .option("--owner <owner>", "owner (default: you)")
    .action(act(async () => (await import("../commands/token.ts")).createToken))
}
