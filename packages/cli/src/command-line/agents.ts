import { BuiltInCli } from "@switchyard/core/agents/clis/clis"
import { PermissionMode } from "@switchyard/core/agents/permissions/schema"
import { Command, Option } from "commander"
import type { AcpOptions } from "../commands/acp.ts"
import type { ShellOptions } from "../commands/attach.ts"
import type { ChatOptions } from "../commands/chat.ts"
import { collected } from "../input/option-values.ts"
import { DETACH_KEY } from "../input/raw-input.ts"
import type { Act } from "./act.ts"

/** Creates the commands for agents and for messages to them. */
export function agentCommands(act: Act): Command[] {
  return [
    new Command("attach")
      .argument("<session>")
      .description(`open an agent's terminal; ${DETACH_KEY} detaches and leaves it running`)
      .action(
        act(async () => {
          const { attach } = await import("../commands/attach.ts")
          return (cli, session: string) => attach(cli, session, process)
        }),
      ),
    new Command("shell")
      .argument("<session>")
      .description(
        `open a shell in a session's worktree; ${DETACH_KEY} detaches, and the shell ends when nobody is attached`,
      )
      .option("--worktree <name>", "a worktree of the session other than main")
      .action(
        act(async () => {
          const { shell } = await import("../commands/attach.ts")
          return (cli, session: string, options: ShellOptions) => shell(cli, session, options, process)
        }),
      ),
    new Command("native-sessions")
      .description(
        "list agents' sessions that you began in your own terminal, in a folder; run --resume-session takes one",
      )
      .option("--repository <folder>", "folder on the server's machine (default: this one)", ".")
      .addOption(new Option("--agent <id>", "only sessions of this agent").choices(BuiltInCli.options))
      .action(act(async () => (await import("../commands/native-sessions.ts")).nativeSessions)),
    new Command("own-terminal")
      .argument("<session>")
      .option("--agent <name>", "an agent of the session other than main", "main")
      .description("copy an idle agent's session to your home and print the command that continues it in your terminal")
      .action(act(async () => (await import("../commands/native-sessions.ts")).ownTerminal)),
    new Command("agents")
      .argument("<session>")
      .description("list a session's agents, and add or close an agent")
      .option("--add <name>", "add an agent with this name first")
      .option("--agent <account>", "with --add: the command-line agent of this account, for example claude")
      .option("--model <model>", "with --add: its model (default: the account's)")
      .addOption(
        new Option("--mode <mode>", "with --add: what it may do without asking (default: ask)").choices(
          PermissionMode.options,
        ),
      )
      .option("--worktree <name>", "with --add: own, shared or the name of a worktree (default: own)")
      .option("--cwd <folder>", "with --add: folder in the worktree to start in")
      .option("--consent", "with --add: allow it to run commands there without asking, now and in future")
      .option("--close <name>", "close this agent first; its worktree is kept")
      .action(act(async () => (await import("../commands/agents.ts")).agents)),
    new Command("say")
      .argument("<session>")
      .argument("<agent>", "its name, as shown by agents")
      .argument("<message>", '"-" reads it from stdin')
      .description("send a message to an agent; if it's busy, it receives the message after its turn")
      .action(act(async () => (await import("../commands/agents.ts")).say)),
    new Command("ask")
      .argument("<session>")
      .argument("<agent>", "its name, as shown by agents")
      .argument("<message>", '"-" reads it from stdin')
      .description("send a message to an agent and print its answer")
      .action(act(async () => (await import("../commands/agents.ts")).ask)),
    new Command("chat")
      .argument("[session]", "session with the files (default: a new session)")
      .description("chat about a session's files and edit them; Ctrl-C stops an answer, a second Ctrl-C leaves")
      .option("--workspace <id>", "use the session of this workspace")
      .option("--repository <place>", "repository for a new session: a folder on the server's machine, or a URL")
      .option("--message <text>", 'send this, print the answer and exit; "-" reads it from stdin, as does a pipe')
      .option("--image <file>", "with --message: image to show to the model; can be given up to five times", collected)
      .option("--model <model>", "for example anthropic/claude-sonnet-5; see models (default: the server's model)")
      .option("--review", "don't apply edits")
      .action(
        act(async () => {
          const { chat } = await import("../commands/chat.ts")
          return (cli, sessionId: string | undefined, options: ChatOptions) => chat(cli, sessionId, options, process)
        }),
      ),
    new Command("questions")
      .description("list agents' open questions in all sessions")
      .action(act(async () => (await import("../commands/questions.ts")).questions)),
    new Command("answer")
      .argument("<question>", "its id, as shown by questions")
      .argument("<answer>", '"allow" or "deny"; for a choice, the label of an option')
      .option("--session", "with allow: also allow similar uses later in this session")
      .option("--edits", "with allow: also allow all edits in its worktree from now on")
      .option("--text <text>", "with deny: what the agent should do instead")
      .description("answer an agent's question; only the first answer counts")
      .action(act(async () => (await import("../commands/questions.ts")).answer)),
    new Command("acp")
      .description("act as an editor's agent, speaking the Agent Client Protocol on stdin and stdout")
      .requiredOption("--agent <account>", "the command-line agent that does the work, for example claude")
      .option("--model <model>", "the agent's model (default: the account's)")
      .addOption(
        new Option("--mode <mode>", "what it may initially do without asking")
          .choices(PermissionMode.options)
          .default("ask"),
      )
      .option(
        "--repository <url>",
        "repository to work in (default: the editor's folder, or its clone URL if the server is on another machine)",
      )
      .option("--consent", "allow agents to run commands there without asking, in bypass mode")
      .action(
        act(async () => {
          const { acp } = await import("../commands/acp.ts")
          return (cli, options: AcpOptions) => acp(cli, options, process)
        }),
      ),
    new Command("pr")
      .argument("<session>", "session whose agent worked in a repository on a git host")
      .description(
        "push its branch, and open or update a pull request that describes the task, the result and the checks",
      )
      .option("--worktree <name>", "worktree (default: main)")
      .option("--title <title>", "title (default: the first line of the task)")
      .option("--base <branch>", "branch to merge into (default: the worktree's target branch)")
      .option("--draft", "open it as a draft")
      .action(act(async () => (await import("../commands/pull-request.ts")).pullRequest)),
  ]
}
