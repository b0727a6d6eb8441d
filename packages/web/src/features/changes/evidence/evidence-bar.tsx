import type { WorkEvidence } from "@switchyard/core/work/verification/evidence-schema"
import { clsx } from "clsx"
import { Button } from "../../../ui/button.tsx"
import { StatusIcon } from "../../../ui/icons.tsx"
import { type Look, lineOf, lookOf, shortCommit } from "./evidence-words.ts"

const edges: Record<Look["tone"], string> = {
  ok: "border-l-ok bg-sheet",
  err: "border-l-err bg-sheet",
  need: "border-l-need bg-need-bg",
  info: "border-l-info bg-sheet",
  quiet: "border-l-line bg-sheet",
}

const titles: Record<Look["tone"], string> = {
  ...{ ok: "text-ok", err: "text-err", need: "text-ink", info: "text-info", quiet: "text-ink-2" },
}

interface Props {
  evidence: WorkEvidence
  isOpen: boolean
  onToggle(): void
}

/** The verdict on the work shown in one line, with a button that shows the evidence. */
export function EvidenceBar({ evidence, isOpen, onToggle }: Props) {
  const { latest, state } = evidence
  const { title, icon, tone } = lookOf(evidence)
  return (
    <section
      aria-label="Verdict"
      data-evidence={state}
      className={clsx("flex min-h-9 items-center gap-x-2 border-b border-l-4 border-b-line px-3 py-1", edges[tone])}
    >
      <StatusIcon state={icon} size={14} label={null} />
      <p className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2 text-sm">
        <span className={clsx("font-semibold whitespace-nowrap", titles[tone])}>{title}</span>
        {latest && (
          <code
            title={latest.commit}
            className={clsx("font-mono text-xs text-ink-2", state === "void" && "line-through")}
          >
            {shortCommit(latest.commit)}
          </code>
        )}
        <span className="min-w-0 truncate text-ink-2 nums" title={lineOf(evidence)}>
          {lineOf(evidence)}
        </span>
      </p>
      <Button size="sm" tone="quiet" aria-expanded={isOpen} onClick={onToggle}>
        {isOpen ? "Hide checks" : "Show checks"}
      </Button>
    </section>
  )
}
