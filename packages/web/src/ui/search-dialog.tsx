import { Command as Menu } from "cmdk"
import type { ReactNode } from "react"
import { Search } from "./icons.tsx"
import { useModal } from "./use-modal.ts"

interface Props {
  label: string
  placeholder: string
  /** Rates how well an item fits what is typed, from 0 to 1. */
  filter(value: string, search: string, words?: string[]): number
  onClose(): void
  /** Groups and items of the menu. */
  children: ReactNode
}

/** A menu over the page, whose items are found by what is typed. Open as long as it is mounted. */
export function SearchDialog({ label, placeholder, filter, onClose, children }: Props) {
  // The platform would focus the menu around the field.
  const modal = useModal("input", onClose)
  return (
    <dialog
      aria-label={label}
      {...modal}
      className="mx-auto mt-[12vh] mb-auto w-[min(600px,calc(100vw-24px))] rounded-md border border-strong bg-sheet p-0 text-ink shadow-[0_8px_40px_rgb(0_0_0/0.25)] max-md:mt-3"
    >
      <Menu label={label} loop vimBindings={false} filter={filter}>
        <div className="flex items-center gap-2.5 border-b border-line px-4">
          <Search size={16} aria-hidden className="shrink-0 text-ink-3" />
          <Menu.Input placeholder={placeholder} className="h-12 w-full bg-transparent outline-none" />
        </div>
        <Menu.List className="max-h-[min(60vh,480px)] overflow-y-auto overscroll-contain p-2">
          <Menu.Empty className="p-6 text-center text-sm text-ink-3">No results</Menu.Empty>
          {children}
        </Menu.List>
      </Menu>
    </dialog>
  )
}
