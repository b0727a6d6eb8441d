/** Two tracks with a point between them. */
export function Logo({ size }: { size: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      fill="none"
      strokeWidth="3"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M3 24h26M3 24c10 0 9-16 19-16h7" className="stroke-accent" />
      <circle cx="8" cy="24" r="3" className="fill-accent" />
    </svg>
  )
}
