import { Command } from "commander"
import {
  addNode,
  addWorker,
  assignNode,
  changeTeam,
  listTeams,
  moveNode,
  retryNode,
  sayToTeam,
  team,
  teamStatus,
} from "../commands/team.ts"
import { cancelTrigger, teamMemory, teamTriggers, wakeTeam } from "../commands/team-triggers.ts"
import { dollars, natural, positive } from "../option-values.ts"
import type { Act } from "./act.ts"

/** The commands for teams. */
export function teamCommand(act: Act): Command {
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
    .option(
      "--coordinator <agent>",
      "a program that coordinates in place of a model: an account's name, or as claude-code/opus",
    )
    .option("--at-once <nodes>", "the nodes that are worked on at once, up to 4", positive)
    .option("--agent <name...>", "programs that workers may be: your accounts' names, or agents' ids")
    .option(
      "--repository <place>",
      "where the team works, a folder of the server's machine or a URL (default: new files)",
    )
    .option("--verify", "with --agent: their nodes count only once the project's own checks pass")
    .option("--worker-command <name=command...>", "commands that workers may be, each under a name")
    .option(
      "--worker-timeout <seconds>",
      "the longest that each of them may take, up to six hours (default: 600)",
      positive,
    )
    .option("--worker-network", "let them reach the hosts that agents may; otherwise they have no network")
    .option("--consent", "allow checks, workers and programs to run commands without asking, from now on")
    .option(
      "--budget <dollars>",
      "the most that the team's session may cost; a person is asked when it is used up",
      dollars,
    )
    .option("--budget-tokens <count>", "the same in tokens, those of caches included", natural)
    .option(
      "--budget-minutes <count>",
      "the same in minutes in which it is at work, those of several workers added up",
      natural,
    )
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
        .option("--tell <webhook>", "tell one of your webhooks instead, by its id")
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
    .addCommand(
      part("add-node", "put a node on the board of a team; its coordinator is told")
        .argument("<task>", '"-" reads it from stdin')
        .option("--id <id>", "its id (default: a number)")
        .option("--after <node...>", "the nodes that must be completed first")
        .option("--stage <name>", "the stage that it belongs to")
        .option("--test <command>", "it counts as completed only once this passes, by which its files are tested")
        .option("--build <command>", "the same for building them")
        .option("--lint <command>", "the same for linting them")
        .action((id, task, options, command) => act(command, (cli) => addNode(cli, id, { ...options, task }))),
    )
    .addCommand(
      part("add-worker", "add a worker to a team")
        .argument("<name>")
        .argument("<role>", "what the worker is for")
        .option("--command <name>", "one of the team's commands, which the worker is in place of a model")
        .action((id, name, role, { command: runs }, command) =>
          act(command, (cli) => addWorker(cli, id, { name, role, command: runs })),
        ),
    )
    .addCommand(
      part("assign", "give a node to a worker")
        .argument("<node>")
        .argument("<worker>", "a name or an id")
        .action((id, node, worker, _options, command) => act(command, (cli) => assignNode(cli, id, { node, worker }))),
    )
    .addCommand(
      part("move", "move a node that hasn't begun to the end of the board, or before another; the first begins first")
        .argument("<node>")
        .option("--before <node>", "the node before which it is to stand")
        .action((id, node, { before = null }, command) => act(command, (cli) => moveNode(cli, id, { node, before }))),
    )
    .addCommand(
      part("retry", "have a node that failed done again")
        .argument("<node>")
        .action((id, node, _options, command) => act(command, (cli) => retryNode(cli, id, node))),
    )
    .addCommand(change("pause", "begin nothing new; what is under way stops after its present step"))
    .addCommand(change("stop", "interrupt the workers of a team; their nodes wait"))
    .addCommand(change("resume", "let a team go on where it was"))
}
