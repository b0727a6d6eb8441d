import type { ReactNode } from "react"
import { Link } from "wouter"
import { paths } from "../../session/context/routes.ts"
import type { Kind } from "../../session/preferences/new-session-choices.ts"
import { BranchPlan } from "./branch-plan.tsx"
import { TrackPlan } from "./track-plan.tsx"

const link = "text-accent underline underline-offset-2"

interface Promised {
  plan: ReactNode
  things: { title: string; text: string }[]
}

const promises = {
  Build: {
    plan: <TrackPlan />,
    things: [
      {
        title: "Watch it being made",
        text: "See which files are planned, which one is being written, and every step. Close the tab and come back later: the run continues, and you can replay what you missed.",
      },
      {
        title: "Change anything",
        text: "You can edit any file, even during a run, and your next prompt builds on it. You can adjust the prompts of all three, too.",
      },
      {
        title: "Take it with you",
        text: "Download a zip at any time. Or start runs from a terminal or a pipeline and follow them here.",
      },
    ],
  },
  Agent: {
    plan: <BranchPlan />,
    things: [
      {
        title: "In a real terminal",
        text: "Watch the agent work. Type to it, stop it, leave and come back: every tab shows the same screen, and the session is recorded.",
      },
      {
        title: "Beside your checkout",
        text: "It works on its own branch in a separate worktree. Your checkout isn't touched, and several agents don't get in each other's way.",
      },
      {
        title: "Read, then merge",
        text: "Review the diff file by file and resolve conflicts one by one. Then merge, push, or discard.",
      },
    ],
  },
  Chat: {
    plan: null,
    things: [
      {
        title: "It knows the code",
        text: "The model is shown a map of all declarations and imports, and the files that you select in full. You see what it is shown, and what that costs.",
      },
      {
        title: "Edits are cards",
        text: "Each edit is a diff, applied or refused with the reason. In a repository they are commits on a branch of their own.",
      },
      {
        title: "Back, and another way",
        text: "Rewind conversation and files together, return to what you left, or fork a new session from any message.",
      },
    ],
  },
  Team: {
    plan: null,
    things: [
      {
        title: "From a goal to nodes",
        text: "The coordinator plans the work as nodes that depend on one another. Watch them move over the board.",
      },
      {
        title: "Side by side",
        text: "Workers do up to four nodes at once, and publish what they made: one version of the files for each node.",
      },
      {
        title: "Talk to any of them",
        text: "Write to the coordinator or to a worker by name. Pause or stop the team: it goes on later, and forgets nothing.",
      },
    ],
  },
} satisfies Record<Kind, Promised>

/** Introduces a kind of session to newcomers. */
export function Landing({ kind }: { kind: Kind }) {
  const { plan, things } = promises[kind]
  return (
    <>
      <div className="mt-12 mb-10 max-md:mt-8">{plan}</div>
      <div className="grid gap-x-8 gap-y-6 sm:grid-cols-3">
        {things.map(({ title, text }) => (
          <section key={title} className="border-t-2 border-accent pt-3">
            <h2 className="font-semibold">{title}</h2>
            <p className="mt-1 text-sm text-ink-2">{text}</p>
          </section>
        ))}
      </div>
      <p className="mt-10 border-t border-line pt-4 text-sm text-ink-3">
        New here? The{" "}
        <Link href={paths.guide()} className={link}>
          guide
        </Link>{" "}
        takes five minutes. See{" "}
        <Link href={paths.about()} className={link}>
          About
        </Link>{" "}
        for privacy.
      </p>
    </>
  )
}
