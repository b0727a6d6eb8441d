import { ZoomIn } from "../../../ui/more-icons.tsx"

const steps = [1, 1.5, 2, 3]

/** Zooms a terminal in steps, then back to 100 %. An alternative to pinching. */
export function ZoomButton({ zoom, setZoom }: { zoom: number; setZoom(zoom: number): void }) {
  const next = steps.find((step) => step > zoom + 0.01) ?? 1
  return (
    <button
      type="button"
      onClick={() => setZoom(next)}
      className="absolute right-2 bottom-2 flex h-11 min-w-11 items-center justify-center gap-1 rounded-md border border-line bg-sheet px-2 text-sm text-ink-2 nums md:hidden"
    >
      <ZoomIn size={16} aria-hidden />
      <span className="unseen">{next === 1 ? "Zoom out, currently " : "Zoom in, currently "}</span>
      {Math.round(zoom * 10) / 10}×
    </button>
  )
}
