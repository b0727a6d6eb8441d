import type { ConflictHunk } from "@switchyard/core/files/worktrees/conflict-schema"
import type { HunkChoice } from "@switchyard/core/files/worktrees/merge-schema"
import { clsx } from "clsx"
import { useState } from "react"
import { Button } from "../../../ui/button.tsx"
import { fieldClass } from "../../../ui/field.tsx"
import { linesOf, resultOf, type Sides } from "./conflict-choices.ts"
import { ConflictSide } from "./conflict-side.tsx"

interface Props {
  hunk: ConflictHunk
  of: number
  sides: Sides
  choice: HunkChoice | null
  disabled: boolean
  onChoose(choice: HunkChoice | null): void
}

/** A region changed by both sides: the base, both sides, and the result. */
export function ConflictRegion({ hunk, of, sides, choice, disabled, onChoose }: Props) {
  const own = choice !== null && typeof choice !== "string"
  const way = (name: string, value: HunkChoice, on: boolean) => (
    <Button
      size="sm"
      aria-pressed={on}
      disabled={disabled}
      className={on ? "border-accent! bg-accent-bg!" : undefined}
      onClick={() => onChoose(on ? null : value)}
    >
      {name}
    </Button>
  )
  return (
    <section aria-label={`Conflict ${hunk.index + 1} of ${of}`} className="border-b border-line px-3 py-3">
      <div className="mb-2 flex flex-wrap items-center gap-1.5">
        <h4 className="mr-2 text-sm font-semibold nums max-md:basis-full">
          Conflict {hunk.index + 1} of {of}
        </h4>
        {way(`Use ${sides.ours}`, "ours", choice === "ours")}
        {way(`Use ${sides.theirs}`, "theirs", choice === "theirs")}
        {way("Use both", "both", choice === "both")}
        {way("Edit", { lines: resultOf(hunk, choice ?? "both") }, own)}
      </div>
      <Around lines={hunk.before} />
      <div className="grid border border-line lg:grid-cols-3">
        <ConflictSide name={sides.ours} text={textOf(hunk.ours)} on={choice === "ours" || choice === "both"} />
        <ConflictSide name="before" text={textOf(hunk.base)} on={choice === "base"} />
        <ConflictSide name={sides.theirs} text={textOf(hunk.theirs)} on={choice === "theirs" || choice === "both"} />
      </div>
      {own && (
        <OwnText
          lines={choice.lines}
          disabled={disabled}
          index={hunk.index}
          onChange={(lines) => onChoose({ lines })}
        />
      )}
      <Around lines={hunk.after} />
    </section>
  )
}

function OwnText(props: { lines: string[]; disabled: boolean; index: number; onChange(lines: string[]): void }) {
  const [text, setText] = useState(() => props.lines.join("\n"))
  return (
    <textarea
      aria-label={`Your text for conflict ${props.index + 1}`}
      value={text}
      disabled={props.disabled}
      rows={Math.min(16, Math.max(3, props.lines.length + 1))}
      spellCheck={false}
      onChange={(event) => {
        setText(event.target.value)
        props.onChange(linesOf(event.target.value))
      }}
      className={clsx(fieldClass, "mt-2 py-2 font-mono text-xs leading-5")}
    />
  )
}

/** The context around a region, which is the same on both sides. */
function Around({ lines }: { lines: string[] }) {
  if (lines.length === 0) return null
  return (
    <pre className="px-2 py-1 font-mono text-xs leading-5 break-words whitespace-pre-wrap text-ink-3">
      {lines.join("\n")}
    </pre>
  )
}

/** No lines and one blank line look the same, so the former is spelled out. */
function textOf(lines: string[]): string | null {
  return lines.length === 0 ? null : lines.join("\n")
}
