import { Command as Menu } from "cmdk"
import { type ReactNode, useState } from "react"
import { SearchFrame, SearchRow, searchField } from "./search-frame.tsx"

interface Props {
  label: string
  placeholder: string
  /** The text to begin with. */
  typed?: string
  /** Rates how well an item fits what is typed, from 0 to 1. */
  filter(value: string, search: string, words?: string[]): number
  onClose(): void
  /** Groups and items of the menu. */
  children: ReactNode
}

/** A menu over the page, whose items are found by what is typed. Open as long as it is mounted. */
export function SearchDialog({ label, placeholder, typed = "", filter, onClose, children }: Props) {
  const [search, setSearch] = useState(typed)
  return (
    <SearchFrame label={label} onClose={onClose}>
      <Menu label={label} loop vimBindings={false} filter={filter}>
        <SearchRow>
          <Menu.Input value={search} onValueChange={setSearch} placeholder={placeholder} className={searchField} />
        </SearchRow>
        <Menu.List className="max-h-[min(60vh,480px)] overflow-y-auto overscroll-contain p-2">
          <Menu.Empty className="p-6 text-center text-sm text-ink-3">No results</Menu.Empty>
          {children}
        </Menu.List>
      </Menu>
    </SearchFrame>
  )
}
