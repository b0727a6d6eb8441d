import { type Kind, kinds } from "./choices.ts"

const descriptions = {
  Build: "Planner, architect and coder turn your prompt into a project",
  Agent: "Give a coding agent a task in your repository",
  Team: "A coordinator breaks a goal into nodes, and workers do them side by side",
} satisfies Record<Kind, string>

/** Selects the kind of session. */
export function KindChoice({ kind, onChoose }: { kind: Kind; onChoose(kind: Kind): void }) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <fieldset className="flex w-fit shrink-0 rounded-md border border-strong">
        <legend className="unseen">What kind of session</legend>
        {kinds.map((name) => (
          <label
            key={name}
            className="relative flex h-8 cursor-pointer items-center px-3.5 text-sm text-ink-2 first-of-type:rounded-l-[4px] last-of-type:rounded-r-[4px] hover:text-ink has-checked:bg-accent-bg has-checked:font-semibold has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent max-md:h-11"
          >
            <input
              type="radio"
              name="kind"
              className="unseen"
              checked={kind === name}
              onChange={() => onChoose(name)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <p className="text-sm text-ink-3">{descriptions[kind]}</p>
    </div>
  )
}
