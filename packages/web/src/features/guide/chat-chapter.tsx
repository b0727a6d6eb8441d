import { paths } from "../../session/context/routes.ts"
import { Code, To } from "./prose.tsx"

export function Chat() {
  return (
    <>
      <p>
        Every session that was built or has a repository has a Chat. To begin with a repository, choose Chat on the{" "}
        <To href={paths.home()}>first page</To>. The model is shown a map of the code, the list of all files, and in
        full the files you select on the left.
      </p>
      <p>
        Its edits become cards. Each shows its diff, and whether it was applied or why not. Where some failed, Ask again
        writes the message that says so, and you send it. In a repository the edits of an answer are a commit on the
        session's own branch, which you merge or push as an agent's work.
      </p>
      <p>
        Context shows what the model was sent, what the provider's cache paid for, and what the next message would have
        to write anew. Rewind takes conversation and files back together, Undo takes the edits of one answer back, and
        Fork opens a new session from there. In a terminal it is <Code>npx switchyard chat</Code>.
      </p>
    </>
  )
}
