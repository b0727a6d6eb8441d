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
        title: "Watch every step",
        text: "See the plan, the file being written, and every step along the way. Close the tab and come back later: the run continues without you, and you can replay what you missed.",
      },
      {
        title: "Change anything",
        text: "Edit any file, even during a run. Your next prompt builds on your edits. You can also adjust the built-in prompts.",
      },
      {
        title: "Take it with you",
        text: "Download your project at any time. Or start runs from a terminal or pipeline and follow them here.",
      },
    ],
  },
  Agent: {
    plan: <BranchPlan />,
    things: [
      {
        title: "In a real terminal",
        text: "Watch the agent work, type into its terminal, or stop it. Everything is recorded.",
      },
      {
        title: "In its own worktree",
        text: "Each agent works on its own branch, so agents don't interfere with each other or your checkout.",
      },
      {
        title: "Review, then merge",
        text: "Review the diff file by file and resolve conflicts, then merge, push or discard the changes.",
      },
    ],
  },
  Chat: {
    plan: null,
    things: [
      {
        title: "The model knows your code",
        text: "The model gets a map of your code plus the files you select. You see exactly what's sent and what it costs.",
      },
      {
        title: "Review every edit",
        text: "See every edit as a diff. In a repository, edits are committed to a separate branch.",
      },
      {
        title: "Rewind and fork",
        text: "Rewind the conversation and the files together, or fork a new session from any message.",
      },
    ],
  },
  Team: {
    plan: null,
    things: [
      {
        title: "From goal to tasks",
        text: "The coordinator splits the goal into tasks. Watch them move across the board.",
      },
      {
        title: "Working in parallel",
        text: "Up to 4 workers run at once. Each finished task creates a new version of the files.",
      },
      {
        title: "Message anyone",
        text: "Message the coordinator or any worker. Pause the team at any time and resume it later.",
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
        takes 5 minutes. For privacy details, see{" "}
        <Link href={paths.about()} className={link}>
          About
        </Link>
        .
      </p>
    </>
  )
}
