import type { ReactNode } from "react"
import { Search } from "./icons.tsx"
import { useModal } from "./use-modal.ts"

/** Frame of a search dialog over the page, starting with the field. Open while it is mounted. */
export function SearchFrame({ label, onClose, children }: { label: string; onClose(): void; children: ReactNode }) {
  // By default, the platform would focus the menu around the field.
  const modal = useModal("input", onClose)
  return (
    <dialog
      aria-label={label}
      {...modal}
      className="mx-auto mt-[12vh] mb-auto w-[min(600px,calc(100vw-24px))] rounded-md border border-strong bg-sheet p-0 text-ink shadow-[0_8px_40px_rgb(0_0_0/0.25)] max-md:mt-3"
    >
      {children}
    </dialog>
  )
}

export const searchField = "h-12 w-full bg-transparent outline-none"

export function SearchRow({ children }: { children: ReactNode }) {
  return (
    <div className="flex items-center gap-2.5 border-b border-line px-4">
      <Search size={16} aria-hidden className="shrink-0 text-ink-3" />
      {children}
    </div>
  )
}
