import { paths } from "../../session/context/routes.ts"
import { TextLink } from "../../ui/text-link.tsx"
import { Code } from "./prose.tsx"

export function Agents() {
  return (
    <>
      <p>
        Give tasks to Claude Code, Codex, Gemini CLI, Qwen Code, opencode or Mistral Vibe. On the{" "}
        <TextLink href={paths.home()}>home page</TextLink>, choose Agent and describe the task. Then choose an agent and
        a repository: a folder on the server's machine or a URL to clone. Without a repository, the agent works on the
        session's files. To try this without a key, use the mock agent.
      </p>
      <p>
        <strong>Choose when the agent asks for approval</strong>: before each change and command, only before commands,
        or never. With “Plan only”, the agent changes nothing. Agents run with the same access as the server, so you're
        asked for consent once per repository. When an agent needs approval, you see the command or diff in its
        conversation and under “<TextLink href={paths.needs()}>Needs you</TextLink>”.
      </p>
      <p>
        Follow the agent in its conversation, or press <kbd>T</kbd> to open its terminal. The terminal is live and
        shared across all your tabs. Anything you type goes to the agent, and <kbd>Ctrl</kbd> <kbd>C</kbd> ends its
        turn. Press <kbd>Ctrl</kbd> <kbd>Shift</kbd> <kbd>`</kbd> to move focus out of the terminal. When the agent is
        done, watch the recording or give it another task.
      </p>
      <p>
        Run several agents in one session, each in its own worktree, and see their conversations side by side. Agents
        can message each other. You can also give the same task to several agents and compare the results.
      </p>
      <p>
        Agents never see the API keys you use for models. They use keys from the server's environment or from{" "}
        <TextLink href={paths.settings("accounts")}>accounts</TextLink>. Account keys are stored encrypted and never
        shown again. When an account reaches its limit, <TextLink href={paths.settings("limits")}>your rules</TextLink>{" "}
        decide whether to continue with another account or wait for the limit to reset.
      </p>
    </>
  )
}

export function Changes() {
  return (
    <>
      <p>
        Agents never touch your checkout: each one works in its own worktree, on a branch that starts with{" "}
        <Code>switchyard/</Code>. Open the Changes tab to review the diff file by file. Mark files as viewed, edit them,
        comment on lines, and move between changes with <kbd>J</kbd> and <kbd>K</kbd>. In a repository, the file list
        and the download contain only changed files.
      </p>
      <p>
        Turn on <TextLink href={paths.settings("verification")}>verification</TextLink> to run the project's checks when
        an agent finishes. If a check fails, the agent keeps working. The results appear next to the diff.
      </p>
      <p>
        Merge the changes into any branch. To resolve a conflict, choose one version or write your own. Merging into the
        branch you have checked out also updates your files, but uncommitted changes to the same files block the merge.
        You can also push or discard the agent's branch, update it from its target, or open a pull request.
      </p>
    </>
  )
}
