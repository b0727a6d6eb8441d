import { paths } from "../../session/context/routes.ts"
import { Code, To } from "./prose.tsx"

export function Teams() {
  return (
    <>
      <p>
        A team works on a goal. A coordinator breaks it into nodes that depend on one another and gives them to workers:
        models, command-line agents, or commands of yours. Choose Team on the <To href={paths.home()}>first page</To>,
        and give it a budget if you like.
      </p>
      <p>
        The board shows what waits, what is done and what failed. Open a node to read its task, its result and what it
        cost; drag it to a worker, move it, or have it done again. Write to the coordinator, or with <Code>@</Code> to a
        worker by name. Pause or stop the team whenever you want: it goes on where it was.
      </p>
      <p>
        A team you keep waits for messages and triggers: every morning at seven, after an event, or by a webhook. What
        it learns it notes in its memory, and finds it there the next time.
      </p>
    </>
  )
}
