import { Segments } from "../../ui/segments.tsx"
import { type Kind, kinds } from "./choices.ts"

const descriptions = {
  Build: "Planner, architect and coder turn your prompt into a project",
  Agent: "Give a coding agent a task in your repository",
  Chat: "Ask a model about code, and have it edited",
  Team: "A coordinator breaks a goal into nodes, and workers do them side by side",
} satisfies Record<Kind, string>

/** Selects the kind of session. */
export function KindChoice({ kind, onChoose }: { kind: Kind; onChoose(kind: Kind): void }) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <Segments legend="What kind of session" options={kinds} value={kind} onChange={onChoose} />
      <p className="text-sm text-ink-3">{descriptions[kind]}</p>
    </div>
  )
}
