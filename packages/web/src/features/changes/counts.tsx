/** How many lines came and went. */
export function Counts({ additions, deletions }: { additions: number | null; deletions: number | null }) {
  if (additions === null || deletions === null) return <span className="text-ink-3">binary</span>
  return (
    <span className="inline-flex shrink-0 gap-1.5 whitespace-nowrap nums">
      <span className="text-ok">
        +{additions.toLocaleString()}
        <span className="unseen"> added</span>
      </span>
      <span className="text-err">
        −{deletions.toLocaleString()}
        <span className="unseen"> removed</span>
      </span>
    </span>
  )
}
