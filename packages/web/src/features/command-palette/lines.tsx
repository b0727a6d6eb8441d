import { Command as Menu, useCommandState } from "cmdk"
import type { ReactNode } from "react"

/** Returns an action that closes the palette first. */
export type Leaving = (act: () => void) => () => void

const headings =
  "[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-ink-3"

/** Shown as a group until something is typed, because the menu sorts items by how well they match, but not groups. */
export function Group({ heading, children }: { heading: string; children: ReactNode }) {
  const searching = useCommandState((state) => state.search !== "")
  if (searching) return children
  return (
    <Menu.Group heading={heading} className={headings}>
      {children}
    </Menu.Group>
  )
}

interface LineProps {
  /** Makes items with the same name distinct. */
  value: string
  words: string[]
  icon: ReactNode
  onSelect(): void
  children: ReactNode
}

export function Line({ value, words, icon, onSelect, children }: LineProps) {
  return (
    <Menu.Item
      value={value}
      keywords={words}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 data-[selected=true]:bg-accent-bg max-md:min-h-11"
    >
      <span className="flex w-4 shrink-0 justify-center text-ink-3">{icon}</span>
      {children}
    </Menu.Item>
  )
}
