import { paths } from "../../session/context/routes.ts"
import { TextLink } from "../../ui/text-link.tsx"
import { Code } from "./prose.tsx"

export function Agents() {
  return (
    <>
      <p>
        Claude Code, Codex, Gemini CLI, Qwen Code, opencode and Mistral Vibe can take on tasks, too. On the{" "}
        <TextLink href={paths.home()}>first page</TextLink> choose Agent, describe the task, and select an agent and a
        repository: a folder on the server's machine or a URL to clone. Without a repository, the agent works on the
        session's own files. The mock agent needs no key. Use it to try things out.
      </p>
      <p>
        <strong>You choose what it may do without asking</strong>: nothing, edits in its worktree, nothing but reading,
        or everything. It runs as the user running the server, so the server asks for your consent once per repository.
        What agents ask waits under <TextLink href={paths.needs()}>Waiting for you</TextLink>, with the command or the
        diff. If agents are disabled on a server, it says so when you start one.
      </p>
      <p>
        The terminal shows the agent at work, the same in every tab. A line you type is sent to it when you press Enter;{" "}
        <kbd>Ctrl</kbd> <kbd>C</kbd> ends its turn. All other keys go to the terminal, too, so <kbd>Ctrl</kbd>{" "}
        <kbd>Shift</kbd> <kbd>`</kbd> is how you leave it. Afterwards there is a recording, and the field above takes
        the next task.
      </p>
      <p>
        A session can have several agents, each in a worktree of its own, with their conversations side by side. They
        can write to one another, and you can give one task to several and compare what comes of it.
      </p>
      <p>
        An agent doesn't use this browser's model key. Its key is in the server's environment or belongs to an{" "}
        <TextLink href={paths.settings("accounts")}>account</TextLink>, which the server stores encrypted and never
        shows again. When an account reaches its limit, <TextLink href={paths.settings("limits")}>your rules</TextLink>{" "}
        decide whether the next one goes on in the same worktree, or the task waits for the reset.
      </p>
    </>
  )
}

export function Changes() {
  return (
    <>
      <p>
        An agent works in a worktree, on a branch whose name begins with <Code>switchyard/</Code>, so your checkout
        isn't touched. Changes shows its work as a diff, file by file. Mark files as viewed, edit them where they're
        wrong, comment on lines, and move between changes with <kbd>J</kbd> and <kbd>K</kbd>. In a repository, Files and
        the download contain only the files it changed.
      </p>
      <p>
        With <TextLink href={paths.settings("verification")}>verification</TextLink>, a task is done only once the
        project's own checks pass on its commit. What fails goes back to the agent, and Changes shows the evidence
        beside the diff.
      </p>
      <p>
        Merge brings the changes into a branch you choose. Where both changed the same lines, the two sides are shown
        next to each other: choose one or write your own. A checkout of that branch is updated, too, unless it has
        uncommitted changes in the same files; then nothing is merged, and you see which files are in the way. You can
        also push the branch, open a pull request, update it from its target, or discard it.
      </p>
    </>
  )
}
