import { Command } from "commander"
import { collected, dollars, natural, positive } from "../input/option-values.ts"
import type { Act } from "./act.ts"

export function teamCommand(act: Act): Command {
  const part = (name: string, description: string) => new Command(name).argument("<team>").description(description)
  const change = (to: "pause" | "resume" | "stop", description: string) =>
    part(to, description).action(
      act(async () => {
        const { changeTeam } = await import("../commands/team.ts")
        return (cli, id: string) => changeTeam(cli, id, to)
      }),
    )
  return new Command("team")
    .argument("[goal]", 'the goal; "-" reads it from stdin')
    .description(
      "give a goal to a team and watch it until it ends; Ctrl-C cancels it, a second Ctrl-C exits immediately",
    )
    .option("--out <dir>", "download the project into this new or empty directory")
    .option("--force", "merge into a directory that isn't empty")
    .option("--workspace <id>", "work in this workspace instead of a new one")
    .option(
      "--image <file>",
      "image that the goal refers to, such as a screenshot; can be given up to five times",
      collected,
    )
    .option("--model <model>", "model for the coordinator and its workers (default: the server's model)")
    .option(
      "--coordinator <agent>",
      "program that coordinates instead of a model: an account name or, for example, claude-code/opus",
    )
    .option("--at-once <nodes>", "how many nodes may run concurrently, up to 4", positive)
    .option("--agent <name...>", "programs for workers: names of your accounts, or agent ids")
    .option(
      "--repository <place>",
      "repository for the team: a folder on the server's machine, or a URL (default: new files)",
    )
    .option("--verify", "with --agent: nodes count only once the project's own checks pass")
    .option("--worker-command <name=command...>", "named commands for workers")
    .option("--worker-timeout <seconds>", "time limit per command, up to six hours (default: 600)", positive)
    .option(
      "--worker-network",
      "let commands connect to the hosts that agents may connect to; by default they have no network",
    )
    .option("--consent", "allow checks, workers and programs to run commands without asking, now and in future")
    .option("--budget <dollars>", "budget for the team's session; when it is used up, a person is asked", dollars)
    .option("--budget-tokens <count>", "the same in tokens, including cached ones", natural)
    .option("--budget-minutes <count>", "the same in minutes of active work, summed over workers", natural)
    .option("--infinite", "continue after the goal is reached, waiting for triggers and messages")
    .option("--detach", "print the team's id and exit")
    .option("--timeout <seconds>", "cancel the team after this long", positive)
    .action(act(async () => (await import("../commands/team.ts")).team))
    .addCommand(
      part("status", "show a team's board").action(act(async () => (await import("../commands/team.ts")).teamStatus)),
    )
    .addCommand(
      part("say", "send a message to a team's coordinator or a member; a halted team continues")
        .argument("<message>", '"-" reads it from stdin')
        .option("--to <member>", "a worker's name, or all", "coordinator")
        .action(act(async () => (await import("../commands/team.ts")).sayToTeam)),
    )
    .addCommand(
      new Command("list")
        .description("list your teams")
        .action(act(async () => (await import("../commands/team.ts")).listTeams)),
    )
    .addCommand(
      part("wake", "wake a team later, repeatedly, or from another program")
        .argument("<message>", "message for the coordinator")
        .option("--in <seconds>", "once, after this long", natural)
        .option("--every <seconds>", "repeatedly, at intervals of 60 seconds or more", natural)
        .option("--at <time>", "once, at this time, for example 2026-12-24T18:00:00Z")
        .option("--cron <schedule>", 'on a schedule of five fields, for example "0 7 * * *"')
        .option("--timezone <zone>", "time zone for the schedule, for example Europe/Berlin (default: UTC)")
        .option("--idle <seconds>", "after this long without work", natural)
        .option("--webhook", "when a POST request is sent to a URL, which is printed")
        .option("--to <worker>", "wake a worker instead of the coordinator")
        .option("--tell <webhook>", "deliver to your webhook with this id instead")
        .action(act(async () => (await import("../commands/team-triggers.ts")).wakeTeam)),
    )
    .addCommand(
      part("triggers", "list a team's triggers").action(
        act(async () => (await import("../commands/team-triggers.ts")).teamTriggers),
      ),
    )
    .addCommand(
      part("cancel-trigger", "cancel a team's trigger")
        .argument("<trigger>")
        .action(act(async () => (await import("../commands/team-triggers.ts")).cancelTrigger)),
    )
    .addCommand(
      part("memory", "search a team's notes")
        .argument("<query>")
        .action(act(async () => (await import("../commands/team-triggers.ts")).teamMemory)),
    )
    .addCommand(
      part("add-node", "add a node to a team's board and notify its coordinator")
        .argument("<task>", '"-" reads it from stdin')
        .option("--id <id>", "its id (default: a number)")
        .option("--after <node...>", "nodes that must be completed first")
        .option("--stage <name>", "the stage it belongs to")
        .option("--test <command>", "complete it only after this command has tested its files successfully")
        .option("--build <command>", "the same for building the files")
        .option("--lint <command>", "the same for linting the files")
        .action(act(async () => (await import("../commands/team.ts")).addNode)),
    )
    .addCommand(
      part("add-worker", "add a worker to a team")
        .argument("<name>")
        .argument("<role>", "the worker's purpose")
        .option("--command <name>", "one of the team's commands, which the worker runs instead of a model")
        .action(act(async () => (await import("../commands/team.ts")).addWorker)),
    )
    .addCommand(
      part("assign", "assign a node to a worker")
        .argument("<node>")
        .argument("<worker>", "a worker's name or id")
        .action(act(async () => (await import("../commands/team.ts")).assignNode)),
    )
    .addCommand(
      part(
        "move",
        "move a node that hasn't started before another one, or to the end of the board; nodes start in this order",
      )
        .argument("<node>")
        .option("--before <node>", "node to put it before")
        .action(act(async () => (await import("../commands/team.ts")).moveNode)),
    )
    .addCommand(
      part("retry", "retry a failed node")
        .argument("<node>")
        .action(act(async () => (await import("../commands/team.ts")).retryNode)),
    )
    .addCommand(change("pause", "don't start anything new; running work stops after its current step"))
    .addCommand(change("stop", "interrupt a team's workers; their nodes wait"))
    .addCommand(change("resume", "continue a team from its last state"))
}
