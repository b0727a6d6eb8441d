import { useState } from "react"
import { useLocation } from "wouter"
import { paths } from "../../app/routes.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { Graph } from "./graph.tsx"
import { Log } from "./log.tsx"
import { PromptBar } from "./prompt-bar.tsx"
import { Tree } from "./tree-pane.tsx"
import { useVisualisation } from "./use-visualisation.ts"

const parts = ["Log", "Files"] as const

/** The run on a phone: the graph, and below it one thing at a time. */
export function NarrowRun({ session }: { session: SessionStore }) {
  const [part, setPart] = useState<(typeof parts)[number]>("Log")
  const [, go] = useLocation()
  const visualisation = useVisualisation(session)
  const id = session.sessionId
  return (
    <div data-region="main" tabIndex={-1} className="grid min-h-0 grid-rows-[auto_auto_auto_minmax(0,1fr)]">
      <PromptBar session={session} visualisation={visualisation} />
      <Graph session={session} cleared={visualisation.cleared} onNode={(node) => go(paths.prompts(id, node))} />
      <fieldset className="flex border-y border-line">
        <legend className="unseen">Part of the run</legend>
        {parts.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={part === name}
            onClick={() => setPart(name)}
            className="min-h-11 flex-1 border-b-2 border-transparent text-sm text-ink-2 aria-pressed:border-accent aria-pressed:font-semibold aria-pressed:text-ink"
          >
            {name}
          </button>
        ))}
      </fieldset>
      {part === "Log" ? (
        <Log session={session} cleared={visualisation.cleared} />
      ) : (
        <Tree session={session} active={null} onOpen={(file) => go(paths.files(id, file))} />
      )}
    </div>
  )
}
