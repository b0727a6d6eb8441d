/** Number of added and removed lines. */
export function Counts({ additions, deletions }: { additions: number | null; deletions: number | null }) {
  if (additions === null || deletions === null) return <span className="text-ink-3">binary</span>
  if (additions === 0 && deletions === 0) return <span className="text-ink-3">no lines</span>
  return (
    <span className="inline-flex shrink-0 gap-1.5 whitespace-nowrap nums">
      {additions > 0 && (
        <span className="text-ok">
          +{additions.toLocaleString()}
          <span className="unseen"> added</span>
        </span>
      )}
      {deletions > 0 && (
        <span className="text-err">
          −{deletions.toLocaleString()}
          <span className="unseen"> removed</span>
        </span>
      )}
    </span>
  )
}
