import { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { Command, Option } from "commander"
import { collected, dollars, natural, positive } from "../input/option-values.ts"
import type { Act } from "./act.ts"

/** Creates the commands for runs, their files and their evidence. */
export function runCommands(act: Act): Command[] {
  return [
    new Command("run")
      .argument("<prompt>", 'what to build; "-" reads it from stdin')
      .description("start a run and watch it until it ends; Ctrl-C cancels it, a second Ctrl-C exits immediately")
      .option("--out <dir>", "download the project into this new or empty directory, even if the run failed")
      .option("--force", "merge into a directory that isn't empty")
      .option("--workspace <id>", "continue in this workspace instead of a new one")
      .option(
        "--image <file>",
        "image that the prompt refers to, such as a screenshot; can be given up to five times",
        collected,
      )
      .option("--model <model>", "for example anthropic/claude-sonnet-5; see models (default: the server's model)")
      .option("--agent <account>", "use the command-line agent of this account, for example claude")
      .option("--repository <path>", "with --agent: git repository to work in, a folder or a URL to clone")
      .option("--base-branch <branch>", "with --repository: branch to start from (default: the checked-out branch)")
      .option("--branch <branch>", "with --repository: work on this existing branch, in its worktree if it has one")
      .option(
        "--resume-session <id>",
        "with --agent: resume this session of its program in your home directory; latest resumes the newest one",
      )
      .addOption(
        new Option(
          "--mode <mode>",
          "with --agent: what it may do without asking (default: unchanged; bypass for a new agent)",
        ).choices(PermissionMode.options),
      )
      .option("--check", "install, test and start the project before the run ends, and fix failures")
      .option("--review", "let a model compare the files with the prompt at the end and add what is missing")
      .option("--no-review", "don't run this review (default: the server's setting)")
      .option("--verify", "with --agent: succeed only if the project's own checks pass on the commit with the work")
      .option("--reviewer <agent>", "with --verify: account or agent that reviews work after its checks have passed")
      .option("--reviewer-model <model>", "with --reviewer: model for the reviewer")
      .option(
        "--allow-test-changes",
        "with --verify or --check: allow changes to existing tests and to how they are run",
      )
      .option("--junit <file>", "with --verify or --check: write the verdict to this file, as JUnit XML")
      .option("--sarif <file>", "with --verify: write problems in the work to this file, as SARIF")
      .option(
        "--consent",
        "with --agent or --check: allow it to run commands there without asking, now and in future; with --agent in bypass mode, also allow the repository's files that start programs, exactly as they are in the commit that the work starts from (the consents command lists both)",
      )
      .option(
        "--budget <dollars>",
        "the run's budget; when it is used up, a person is asked (for an agent, before its next turn)",
        dollars,
      )
      .option("--budget-tokens <count>", "the same in tokens, including cached ones", natural)
      .option("--budget-minutes <count>", "the same in minutes of active work", natural)
      .option("--detach", "print the run's id and exit; with --timeout, watch it until the timeout")
      .option("--timeout <seconds>", "cancel the run after this long (with --detach: only stop watching)", positive)
      .action(act(async () => (await import("../commands/run.ts")).run)),
    new Command("resume")
      .argument("<run>")
      .description("resume a run that failed, was cancelled or is parked, and watch it until it ends")
      .option("--model <model>", "continue with another model")
      .option("--out <dir>", "download the finished project into this new or empty directory")
      .option("--force", "merge into a directory that isn't empty")
      .option("--timeout <seconds>", "cancel the run after this long", positive)
      .action(act(async () => (await import("../commands/resume.ts")).resume)),
    new Command("check")
      .description("install, build, test and start the files in a workspace (default: that of the newest run)")
      .option("--workspace <id>")
      .option("--run <run>")
      .option("--junit <file>", "write the verdict to this file, as JUnit XML")
      .option("--consent", "allow checks to run the built project on the server's machine, now and in future")
      .option("--install <command>", "use this command for installing from now on; an empty command restores detection")
      .option("--build <command>", "the same for building")
      .option("--lint <command>", "the same for linting")
      .option("--test <command>", "the same for testing")
      .option("--start <command>", "the same for starting")
      .action(act(async () => (await import("../commands/check.ts")).check)),
    new Command("evidence")
      .argument("<session>")
      .description("show the evidence from checking an agent's work; succeeds if the checks passed on the current work")
      .option("--worktree <name>", "a worktree of the session other than main")
      .option("--sarif <file>", "write problems in the work to this file, as SARIF")
      .action(act(async () => (await import("../commands/evidence.ts")).evidence)),
    new Command("verification")
      .argument("<session>")
      .description("show whether a session's tasks are verified, or change that for later tasks")
      .option("--on", "verify its tasks")
      .option("--off", "don't verify its tasks, whatever the repository's setting")
      .option("--inherit", "use the repository's setting, or otherwise don't verify")
      .option("--allow-test-changes", "let agents change existing tests")
      .option("--no-allow-test-changes", "don't let agents change existing tests")
      .option(
        "--reviewer <agent>",
        "account or agent that reviews work after its checks have passed; `none` for no review",
      )
      .option("--reviewer-model <model>", "model for the reviewer")
      .option("--attempts <number>", "how many attempts an agent has to pass, 1 to 5", positive)
      .option("--consent", "allow checks to run the project's commands on the server's machine, now and in future")
      .action(act(async () => (await import("../commands/verification.ts")).verification)),
    new Command("events")
      .argument("<run>")
      .description("show a run's events")
      .option("--follow", "keep watching until the run ends, and exit with its result")
      .option("--since <seq>", "only events after this one", natural, 0)
      .action(act(async () => (await import("../commands/events.ts")).events)),
    new Command("files")
      .description("list the files in a workspace (default: that of the newest run)")
      .option("--workspace <id>")
      .option("--run <run>")
      .action(act(async () => (await import("../commands/files.ts")).files)),
    new Command("download")
      .description("download the files in a workspace (default: that of the newest run)")
      .option("--workspace <id>")
      .option("--run <run>")
      .option("--out <dir>", "unpack into this new or empty directory (default: named after the workspace)")
      .option("--zip <file>", "save as a zip")
      .option("--force", "merge into a directory that isn't empty, or replace the zip")
      .action(act(async () => (await import("../commands/download.ts")).download)),
    new Command("versions")
      .description("list the versions of a workspace's files, newest first (default: that of the newest run)")
      .option("--workspace <id>")
      .option("--run <run>")
      .option("--path <file>", "only versions that changed this file")
      .action(act(async () => (await import("../commands/versions.ts")).versions)),
    new Command("restore")
      .argument("<version>", "its number, as shown by versions", natural)
      .argument("[path]", "restore only this file")
      .description("restore a workspace's files to a version, as a new version (default: those of the newest run)")
      .option("--workspace <id>")
      .option("--run <run>")
      .action(act(async () => (await import("../commands/versions.ts")).restore)),
    new Command("fork")
      .argument("[version]", "its number, as shown by versions (default: the newest)", natural)
      .description("copy a version of a workspace's files to a new session (default: those of the newest run)")
      .option("--workspace <id>")
      .option("--run <run>")
      .action(act(async () => (await import("../commands/versions.ts")).fork)),
    new Command("publish")
      .description("publish a workspace's page at a public address (default: that of the newest run)")
      .option("--workspace <id>")
      .option("--run <run>")
      .option(
        "--name <name>",
        "first part of the address (default: the published name, or one from the session's name)",
      )
      .action(act(async () => (await import("../commands/publish.ts")).publish)),
    new Command("push")
      .argument("<url>", "repository on a git host that you have a token for; it is created if it doesn't exist")
      .description("push a workspace's files to a repository (default: those of the newest run)")
      .option("--workspace <id>")
      .option("--run <run>")
      .option("--branch <branch>", "new branch in an existing repository (default: named after the session)")
      .option("--message <text>", "commit message (default: the session's name)")
      .option("--public", "make a repository that is created public")
      .action(act(async () => (await import("../commands/push.ts")).push)),
    new Command("unpublish")
      .argument("<name>")
      .description("take a published app offline")
      .action(act(async () => (await import("../commands/publish.ts")).unpublish)),
    new Command("cancel")
      .argument("<run>")
      .description("ask the server to stop a run")
      .action(act(async () => (await import("../commands/cancel.ts")).cancel)),
    new Command("search")
      .argument("<words...>", "in any order, case-insensitive")
      .description("search all sessions: prompts, and messages in chats, from agents and in teams")
      .action(act(async () => (await import("../commands/search.ts")).search)),
    new Command("status")
      .argument("[run]")
      .description("show the status of a run, or of the server and its recent runs")
      .action(act(async () => (await import("../commands/status.ts")).status)),
  ]
}
