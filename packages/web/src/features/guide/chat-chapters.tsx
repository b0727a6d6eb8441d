import { paths } from "../../session/context/routes.ts"
import { TextLink } from "../../ui/text-link.tsx"
import { Code } from "./prose.tsx"

export function Chat() {
  return (
    <>
      <p>
        To chat about a repository, choose Chat on the <TextLink href={paths.home()}>home page</TextLink>. Sessions
        started with Build also have a Chat tab. The model sees a map of the code, a list of all files, and the full
        text of the files you select.
      </p>
      <p>
        Each edit appears as a card with its diff and status. If an edit fails, the card says why, and you can ask the
        model to try again. In a repository, the edits in each response are committed to the session's own branch. Merge
        or push that branch just like an agent's branch.
      </p>
      <p>
        Open the Context panel to see what the model received and how much of it was cached. You can rewind the
        conversation and files to an earlier message, undo an answer's edits, or fork a new session from any answer. To
        chat in a terminal, run <Code>npx switchyard chat</Code>.
      </p>
    </>
  )
}

export function Teams() {
  return (
    <>
      <p>
        Use a team for a bigger goal. A coordinator breaks the goal into tasks, called nodes, and assigns them to
        workers: models, command-line agents, or your own commands. To start a team, choose Team on the{" "}
        <TextLink href={paths.home()}>home page</TextLink>. Set a budget if you like.
      </p>
      <p>
        The board shows which nodes are waiting, done or failed. Open a node to see its result and cost, or to retry it
        if it failed. Drag a waiting node to a worker to assign it yourself. Message the coordinator, or mention a
        worker with <Code>@</Code>. You can pause the team at any time and resume it later.
      </p>
      <p>
        A team can keep running after it reaches its goal, waiting for messages or triggers such as a schedule, an event
        or a webhook. The team remembers what it learns.
      </p>
    </>
  )
}
