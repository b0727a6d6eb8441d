import { IconButton } from "../../../ui/button.tsx"
import { ChevronDown, ChevronUp, X } from "../../../ui/icons.tsx"

interface Props<Item> {
  list: readonly Item[]
  at: number
  name: string
  /** Label of the button that removes the item. */
  removal: string
  onChange(list: Item[]): void
}

/** Buttons that move a list item up or down, or remove it. */
export function ListButtons<Item>({ list, at, name, removal, onChange }: Props<Item>) {
  const moveTo = (to: number) => onChange(moved(list, at, to))
  return (
    <>
      <IconButton label={`Move ${name} up`} disabled={at === 0} onClick={() => moveTo(at - 1)}>
        <ChevronUp size={16} aria-hidden />
      </IconButton>
      <IconButton label={`Move ${name} down`} disabled={at === list.length - 1} onClick={() => moveTo(at + 1)}>
        <ChevronDown size={16} aria-hidden />
      </IconButton>
      <IconButton label={removal} onClick={() => onChange(list.toSpliced(at, 1))}>
        <X size={16} aria-hidden />
      </IconButton>
    </>
  )
}

export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  return list.toSpliced(from, 1).toSpliced(to, 0, ...list.slice(from, from + 1))
}
