import { clsx } from "clsx"
import { StatusIcon, X } from "../../ui/icons.tsx"

interface Props {
  images: { key: string; src: string; alt: string; name: string; busy?: boolean }[]
  onRemove(at: number): void
  className?: string
}

/** Images attached to the next message. */
export function ImageStrip({ images, onRemove, className }: Props) {
  if (images.length === 0) return null
  return (
    <ul aria-label="Images of the message" className={clsx("flex flex-wrap gap-2", className)}>
      {images.map(({ key, src, alt, name, busy }, at) => (
        <li key={key} className="relative">
          <img src={src} alt={alt} className="h-16 rounded-sm border border-line" />
          {busy && (
            <span className="absolute inset-0 flex items-center justify-center bg-sheet/60">
              <StatusIcon state="busy" label="Uploading" />
            </span>
          )}
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => onRemove(at)}
            className="absolute -top-2 -right-2 inline-flex size-6 items-center justify-center rounded-full border border-strong bg-sheet text-ink-2 hover:text-ink max-md:size-11"
          >
            <X size={12} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}
