import type { ReactNode } from "react"
import { Link } from "wouter"
import { paths } from "../../app/routes.ts"
import { useBrowser, useStudio } from "../../app/studio.ts"
import { TrackPlan } from "./track-plan.tsx"

/** What somebody sees who was never here. `children`: where the prompt goes. */
export function Landing({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto max-w-[920px] px-6 pt-[clamp(24px,7vh,72px)] pb-16 max-md:px-4">
      <h1 className="text-2xl leading-tight sm:text-[36px]">
        Say what you want built. <span className="sm:block">Watch it being made.</span>
      </h1>
      <p className="mt-3 mb-6 max-w-[62ch] text-lg text-ink-2 max-md:text-base">
        A planner, an architect and a coder turn a prompt into a project, file by file, in front of you. It all runs on
        this server, and your code goes to nobody but the model that you choose.
      </p>
      {children}
      <DemoNote />
      <div className="mt-12 mb-10 max-md:mt-8">
        <TrackPlan />
      </div>
      <div className="grid gap-x-8 gap-y-6 sm:grid-cols-3">
        <Thing title="Watch it being made">
          Which files are planned, which one is being written, and every step on the way. Leave, and come back: the work
          went on, and you can go through all that you missed.
        </Thing>
        <Thing title="Change anything">
          Every file can be edited, also during a run, and what you ask next builds on it. The prompts of all three are
          yours to adjust.
        </Thing>
        <Thing title="Take it home">
          As a zip, at any time. Or start runs from a terminal or a pipeline, and follow them here.
        </Thing>
      </div>
      <p className="mt-10 border-t border-line pt-4 text-sm text-ink-3">
        New here? The{" "}
        <Link href={paths.guide()} className="text-accent underline underline-offset-2">
          guide
        </Link>{" "}
        takes three minutes.{" "}
        <Link href={paths.about()} className="text-accent underline underline-offset-2">
          About
        </Link>{" "}
        says who sees what.
      </p>
    </div>
  )
}

function Thing({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="border-t-2 border-accent pt-3">
      <h2 className="font-semibold">{title}</h2>
      <p className="mt-1 text-sm text-ink-2">{children}</p>
    </section>
  )
}

/** Nobody shall take the script for a model. */
function DemoNote() {
  const { config, browser } = useStudio()
  const hasKey = useBrowser((state) => state.hasModelKey)
  if (!config.demo || hasKey) return null
  return (
    <p className="mt-5 border-l-4 border-line pl-3 text-sm text-ink-2">
      There is no model key here yet, so a demo answers: a script that builds small projects by rule, and shows how
      everything works.{" "}
      <button
        type="button"
        onClick={() => browser.setState({ dialog: "model-key" })}
        className="text-accent underline underline-offset-2"
      >
        Add a key
      </button>{" "}
      for the real thing.
    </p>
  )
}
