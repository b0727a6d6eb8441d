import { X } from "../../ui/icons.tsx"
import { StatusIcon } from "../../ui/status-icon.tsx"
import type { useAttachments } from "./use-attachments.ts"

/** The images that go along with the next message. */
export function AttachedImages({
  attachments: { images, error, remove },
}: {
  attachments: ReturnType<typeof useAttachments>
}) {
  return (
    <>
      {images.length > 0 && (
        <ul aria-label="Images of the message" className="mb-2 flex flex-wrap gap-2">
          {images.map(({ id, name, preview, path }) => (
            <li key={id} className="relative">
              <img src={preview} alt={name} className="h-16 rounded-sm border border-line" />
              {path === null && (
                <span className="absolute inset-0 flex items-center justify-center bg-sheet/60">
                  <StatusIcon state="busy" label="Uploading" />
                </span>
              )}
              <button
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => remove({ id, preview })}
                className="absolute -top-2 -right-2 inline-flex size-6 items-center justify-center rounded-full border border-strong bg-sheet text-ink-2 hover:text-ink"
              >
                <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      {error && (
        <p role="alert" className="mb-1.5 text-xs text-err">
          {error}
        </p>
      )}
    </>
  )
}
