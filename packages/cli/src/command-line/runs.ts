import { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { Command, Option } from "commander"
import { cancel } from "../commands/cancel.ts"
import { check } from "../commands/check.ts"
import { download } from "../commands/download.ts"
import { events } from "../commands/events.ts"
import { evidence } from "../commands/evidence.ts"
import { files } from "../commands/files.ts"
import { resume } from "../commands/resume.ts"
import { run } from "../commands/run.ts"
import { search } from "../commands/search.ts"
import { status } from "../commands/status.ts"
import { verification } from "../commands/verification.ts"
import { dollars, natural, positive } from "../input/option-values.ts"
import type { Act } from "./act.ts"

/** Creates the commands for runs, their files and their evidence. */
export function runCommands(act: Act): Command[] {
  return [
    new Command("run")
      .argument("<prompt>", 'what to build; "-" reads it from stdin')
      .description("start a run and watch it until it ends; Ctrl-C cancels it, a second Ctrl-C exits at once")
      .option("--out <dir>", "download the project into this new or empty directory, even if the run failed")
      .option("--force", "merge into a directory that is not empty")
      .option("--workspace <id>", "continue in this workspace instead of a new one")
      .option("--model <model>", "for example anthropic/claude-sonnet-5; see models (default: the server's model)")
      .option("--agent <account>", "use the command-line agent of this account, for example claude")
      .option("--repository <path>", "with --agent: the git repository to work in, a folder or a URL to clone")
      .option("--base-branch <branch>", "with --repository: the branch to begin from (default: the checked-out branch)")
      .option("--branch <branch>", "with --repository: work on this existing branch, and in its worktree if it has one")
      .option("--resume-session <id>", "with --agent: continue a session of its program in your home, or the latest")
      .addOption(
        new Option(
          "--mode <mode>",
          "with --agent: what it may do without asking (default: as before, or bypass)",
        ).choices(PermissionMode.options),
      )
      .option("--check", "install, test and start the project before the run ends, and fix failures")
      .option("--review", "let a model compare the files with the prompt at the end, and add what is missing")
      .option("--no-review", "no such review (default: the server's setting)")
      .option("--verify", "with --agent: succeed only if the project's own checks pass on the commit of the work")
      .option("--reviewer <agent>", "with --verify: have this account or agent review what passed its checks")
      .option(
        "--reviewer-model <model>",
        "with --verify: this account or agent reviews work after its checks have passed",
      )
      .option("--allow-test-changes", "with --verify or --check: allow changes to existing tests, and to how they run")
      .option("--junit <file>", "with --verify or --check: write the verdict to this file, as JUnit XML")
      .option("--sarif <file>", "with --verify: write problems of the work to this file, as SARIF")
      .option(
        "--consent",
        "with --agent or --check: allow it to run commands there without asking, from now on; with --agent also the repository's files that start programs, exactly as they are in the commit where the work begins, in the mode bypass (consents lists both)",
      )
      .option(
        "--budget <dollars>",
        "the run's budget; when it is used up, a person is asked, for an agent before its next turn",
        dollars,
      )
      .option("--budget-tokens <count>", "the same in tokens, including cached ones", natural)
      .option("--budget-minutes <count>", "the same in minutes of active work", natural)
      .option("--detach", "print the run's id and exit; with --timeout, watch it until then")
      .option("--timeout <seconds>", "cancel the run after this long (with --detach: only stop watching)", positive)
      .action(act(run)),
    new Command("resume")
      .argument("<run>")
      .description("continue a run that failed, was cancelled or is parked, and watch it until it ends")
      .option("--model <model>", "continue with another model")
      .option("--out <dir>", "download the finished project into this new or empty directory")
      .option("--force", "merge into a directory that is not empty")
      .option("--timeout <seconds>", "cancel the run after this long", positive)
      .action(act(resume)),
    new Command("check")
      .description("install, build, test and start the files of a workspace (default: the newest run's)")
      .option("--workspace <id>")
      .option("--run <run>")
      .option("--junit <file>", "write the verdict to this file, as JUnit XML")
      .option("--consent", "allow checks to run the built project on the server's machine, from now on")
      .option("--install <command>", "install with this command from now on; an empty command is detected again")
      .option("--build <command>", "the same for building")
      .option("--lint <command>", "the same for linting")
      .option("--test <command>", "the same for testing")
      .option("--start <command>", "the same for starting")
      .action(act(check)),
    new Command("evidence")
      .argument("<session>")
      .description("show the evidence from checks of an agent's work; succeeds if they passed on the current work")
      .option("--worktree <name>", "a worktree of the session other than main")
      .option("--sarif <file>", "write problems of the work to this file, as SARIF")
      .action(act(evidence)),
    new Command("verification")
      .argument("<session>")
      .description("show if a session's tasks are verified, and change that for later tasks")
      .option("--on", "verify them")
      .option("--off", "don't verify, whatever the repository's setting")
      .option("--inherit", "use the repository's setting, or else don't verify")
      .option("--allow-test-changes", "let agents change existing tests")
      .option("--no-allow-test-changes", "don't")
      .option(
        "--reviewer <agent>",
        "this account or agent reviews work after its checks have passed; `none` for no review",
      )
      .option("--reviewer-model <model>", "the reviewer's model")
      .option("--attempts <number>", "maximum attempts of an agent to pass, 1 to 5", positive)
      .option("--consent", "allow checks to run the project's commands on the server's machine, from now on")
      .action(act(verification)),
    new Command("events")
      .argument("<run>")
      .description("show the events of a run")
      .option("--follow", "keep watching until the run ends, and exit with its result")
      .option("--since <seq>", "only events after this one", natural, 0)
      .action(act(events)),
    new Command("files")
      .description("list the files of a workspace (default: the newest run's)")
      .option("--workspace <id>")
      .option("--run <run>")
      .action(act(files)),
    new Command("download")
      .description("download the files of a workspace (default: the newest run's)")
      .option("--workspace <id>")
      .option("--run <run>")
      .option("--out <dir>", "unpack into this new or empty directory (default: named after the workspace)")
      .option("--zip <file>", "save as a zip")
      .option("--force", "merge into a directory that is not empty, or replace the zip")
      .action(act(download)),
    new Command("cancel").argument("<run>").description("ask the server to stop a run").action(act(cancel)),
    new Command("search")
      .argument("<words...>", "in any order and case")
      .description("search all sessions: prompts, and messages of chats, agents and teams")
      .action(act(search)),
    new Command("status")
      .argument("[run]")
      .description("show the status of a run, or of the server and its recent runs")
      .action(act(status)),
  ]
}
