import type { ReactNode } from "react"
import { Link } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { useBrowser, useStudio } from "../../session/context/studio.ts"
import type { Kind } from "../home/choices.ts"
import { BranchPlan } from "./branch-plan.tsx"
import { TrackPlan } from "./track-plan.tsx"

const link = "text-accent underline underline-offset-2"

interface Promised {
  plan: ReactNode
  things: { title: string; told: string }[]
}

const promises = {
  Build: {
    plan: <TrackPlan />,
    things: [
      {
        title: "Watch it being made",
        told: "Which files are planned, which one is being written, and every step on the way. Leave, and come back: the work went on, and you can go through all that you missed.",
      },
      {
        title: "Change anything",
        told: "Every file can be edited, also during a run, and what you ask next builds on it. The prompts of all three are yours to adjust.",
      },
      {
        title: "Take it home",
        told: "As a zip, at any time. Or start runs from a terminal or a pipeline, and follow them here.",
      },
    ],
  },
  Agent: {
    plan: <BranchPlan />,
    things: [
      {
        title: "In a real terminal",
        told: "What the agent does, as it does it. Type to it, stop it, leave and come back: the screen is the same in every tab, and the recording is kept.",
      },
      {
        title: "Beside your checkout",
        told: "It works in a worktree and on a branch of its own. What you have open stays as it is, and several agents don't get in each other's way.",
      },
      {
        title: "Read, then merge",
        told: "The diff, file by file. Conflicts are shown and chosen one by one. Merge it, push it, or throw it away.",
      },
    ],
  },
} satisfies Record<Kind, Promised>

/** What somebody who was never here can expect of a session of this kind. */
export function Landing({ kind }: { kind: Kind }) {
  const { plan, things } = promises[kind]
  return (
    <>
      {kind === "Build" && <DemoNote />}
      <div className="mt-12 mb-10 max-md:mt-8">{plan}</div>
      <div className="grid gap-x-8 gap-y-6 sm:grid-cols-3">
        {things.map(({ title, told }) => (
          <section key={title} className="border-t-2 border-accent pt-3">
            <h2 className="font-semibold">{title}</h2>
            <p className="mt-1 text-sm text-ink-2">{told}</p>
          </section>
        ))}
      </div>
      <p className="mt-10 border-t border-line pt-4 text-sm text-ink-3">
        New here? The{" "}
        <Link href={paths.guide()} className={link}>
          guide
        </Link>{" "}
        takes five minutes.{" "}
        <Link href={paths.about()} className={link}>
          About
        </Link>{" "}
        says who sees what.
      </p>
    </>
  )
}

/** Nobody shall take the script for a model. */
function DemoNote() {
  const { config, browser } = useStudio()
  const hasKey = useBrowser((state) => state.hasModelKey)
  if (!config.demo || hasKey) return null
  return (
    <p className="mt-4 border-l-4 border-line pl-3 text-sm text-pretty text-ink-2">
      There is no model key here yet, so a demo answers: a script that builds small projects by rule, and shows how
      everything works.{" "}
      <button type="button" onClick={() => browser.setState({ dialog: "model-key" })} className={link}>
        Add a key
      </button>{" "}
      for the real thing.
    </p>
  )
}
