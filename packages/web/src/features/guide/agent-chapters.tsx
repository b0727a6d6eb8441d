import { paths } from "../../session/context/routes.ts"
import { Code, To } from "./prose.tsx"

export function Agents() {
  return (
    <>
      <p>
        Claude Code, Codex, Gemini CLI, Qwen Code, opencode and Mistral Vibe can be given tasks too. On the{" "}
        <To href={paths.home()}>first page</To> choose Agent, say what is to be done, who does it, and in which
        repository: a folder of the server's machine, or an address to clone. Without one, the agent works on the
        session's own files. The mock agent does next to nothing, and needs no key: it is there to be looked at.
      </p>
      <p>
        <strong>It uses its tools without asking</strong>, as the user who runs the server. So the server asks you once
        for each repository whether that may be. A server can have agents switched off; it then says so when one is
        started.
      </p>
      <p>
        The terminal shows what the agent does, the same in every tab. A line that you type is told to it when you press
        Enter; <kbd>Ctrl</kbd> <kbd>C</kbd> ends its turn. Every other key goes to the terminal too, so <kbd>Ctrl</kbd>{" "}
        <kbd>Shift</kbd> <kbd>`</kbd> is the way out of it. When it is over, there is a recording, and the field above
        takes the next task.
      </p>
      <p>
        An agent's key is not the model key of this browser. It is one of the server's environment, or belongs to an{" "}
        <To href={paths.settings("accounts")}>account</To>, which the server keeps sealed and never tells again.
      </p>
    </>
  )
}

export function Changes() {
  return (
    <>
      <p>
        An agent works in a worktree, on a branch whose name begins with <Code>switchyard/</Code>: whatever you have
        open yourself stays as it is. Changes shows what it did against where it began, file by file. Mark what you have
        read, edit it where it is wrong, and go from one change to the next with <kbd>J</kbd> and <kbd>K</kbd>. In a
        repository, Files and the download hold just the files that it changed.
      </p>
      <p>
        Merge takes it into the branch that you name. Where both have changed the same lines, the two sides stand beside
        each other, and you choose or write a third. A checkout of that branch comes along if nothing in it is being
        edited there; else nothing is merged, and you are told which files are in the way. It can also be pushed, taken
        up to date, or thrown away.
      </p>
    </>
  )
}
