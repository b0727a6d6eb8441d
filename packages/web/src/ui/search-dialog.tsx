import { Command as Menu, useCommandState } from "cmdk"
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react"
import { SearchFrame, SearchRow, searchField } from "./search-frame.tsx"

interface Props {
  label: string
  placeholder: string
  /** Returns the initial text. Called when the dialog is shown, because it may have been rendered some time before. */
  typedAhead?(): string
  /** Rates how well an item matches the search, from 0 to 1. */
  filter(value: string, search: string, words?: string[]): number
  onClose(): void
  /** Groups and items of the menu. */
  children: ReactNode
}

/** A menu over the page whose items are found by typing. Open while it is mounted. */
export function SearchDialog({ label, placeholder, typedAhead, filter, onClose, children }: Props) {
  const [search, setSearch] = useState("")
  const [selected, setSelected] = useState("")
  const list = useRef<HTMLDivElement>(null)
  const find = (text: string) => {
    setSearch(text)
    setSelected("")
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed later is typed here
  useEffect(() => find((typedAhead?.() ?? "") + search), [])
  return (
    <SearchFrame label={label} onClose={onClose}>
      <Menu label={label} loop vimBindings={false} filter={filter} value={selected} onValueChange={setSelected}>
        <SearchRow>
          <Menu.Input value={search} onValueChange={find} placeholder={placeholder} className={searchField} />
        </SearchRow>
        <SelectFirst list={list} onSelect={setSelected} />
        <Menu.List ref={list} className="max-h-[min(60vh,480px)] overflow-y-auto overscroll-contain p-2">
          <Menu.Empty className="p-6 text-center text-sm text-ink-3">No results</Menu.Empty>
          {children}
        </Menu.List>
      </Menu>
    </SearchFrame>
  )
}

/**
 * Selects the first item found by a search. The menu library makes its selection before items that depend on the search
 * are rendered.
 */
function SelectFirst({ list, onSelect }: { list: RefObject<HTMLDivElement | null>; onSelect(value: string): void }) {
  const unselected = useCommandState(({ value, search, filtered }) => (value ? null : `${search} ${filtered.count}`))
  useEffect(() => {
    if (unselected === null) return
    const frame = requestAnimationFrame(() => {
      const first = list.current?.querySelector("[cmdk-item]:not([aria-disabled=true])")
      onSelect(first?.getAttribute("data-value") ?? "")
    })
    return () => cancelAnimationFrame(frame)
  }, [unselected, list, onSelect])
  return null
}

export function SearchGroup({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Menu.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-ink-3"
    >
      {children}
    </Menu.Group>
  )
}

interface ItemProps {
  /** Makes items with the same name distinct. */
  value: string
  words: string[]
  icon: ReactNode
  disabled?: boolean
  onSelect(): void
  children: ReactNode
}

export function SearchItem({ words, icon, disabled = false, children, ...item }: ItemProps) {
  return (
    <Menu.Item
      {...item}
      keywords={words}
      disabled={disabled}
      className="flex min-h-9 items-center gap-2.5 rounded-md px-2 data-[disabled=false]:cursor-pointer data-[selected=true]:bg-accent-bg max-md:min-h-11"
    >
      <span className="flex w-4 shrink-0 justify-center text-ink-3">{icon}</span>
      {children}
    </Menu.Item>
  )
}
