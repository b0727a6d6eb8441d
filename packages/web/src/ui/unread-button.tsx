import { ArrowDown } from "./session-icons.tsx"

/** Scrolls to the end of a list that has grown while the reader was elsewhere in it. Nothing if it hasn't grown. */
export function UnreadButton({ count, onGo }: { count: number; onGo(): void }) {
  if (count === 0) return null
  return (
    <button
      type="button"
      onClick={onGo}
      className="absolute bottom-3 left-1/2 flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-md bg-accent px-3 text-sm font-semibold text-sheet nums hover:bg-accent-hover"
    >
      {count} new <ArrowDown size={14} aria-hidden />
    </button>
  )
}
