import type { WorkEvidence } from "@switchyard/core/work/verification/evidence-schema"
import { clsx } from "clsx"
import type { ReactNode } from "react"
import { EvidencePane } from "./evidence-pane.tsx"

interface Props {
  /** The evidence to show; null while it is closed. */
  evidence: WorkEvidence | null
  wide: boolean
  children: ReactNode
}

/** The diff, and beside it (on a phone, in its place) the evidence for it. */
export function BesideDiff({ evidence, wide, children }: Props) {
  const columns = evidence && wide ? "grid-cols-[minmax(0,1fr)_minmax(240px,clamp(260px,28%,400px))]" : "grid-cols-1"
  return (
    <div className={clsx("grid min-h-0 min-w-0 grid-rows-[minmax(0,1fr)]", columns)}>
      {(wide || !evidence) && children}
      {evidence && <EvidencePane evidence={evidence} />}
    </div>
  )
}
