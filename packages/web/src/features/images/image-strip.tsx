import { X } from "../../ui/icons.tsx"
import type { AttachedImages } from "./use-images.ts"

/** Images of the next message, which can be removed, and why others weren't added. */
export function ImageStrip({ of: { images, error, remove } }: { of: AttachedImages }) {
  return (
    <div className="px-3 pt-1 pb-2">
      <ul aria-label="Attached images" className="flex flex-wrap gap-2">
        {images.map(({ src, name }, at) => (
          <li key={`${at.toString()} ${src.length}`} className="relative">
            <img src={src} alt={name} className="h-16 rounded-sm border border-line" />
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={() => remove(at)}
              // On a phone, the target is larger than the circle, which would hide the image.
              className="absolute -top-2 -right-2 inline-flex size-6 items-center justify-center text-ink-2 hover:text-ink max-md:-top-4.5 max-md:-right-4.5 max-md:size-11"
            >
              <span className="inline-flex size-6 items-center justify-center rounded-full border border-strong bg-sheet">
                <X size={12} aria-hidden />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {error !== null && (
        <p role="alert" className="mt-1 text-xs text-err">
          {error}
        </p>
      )}
    </div>
  )
}
