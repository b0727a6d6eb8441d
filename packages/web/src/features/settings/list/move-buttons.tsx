import { IconButton } from "../../../ui/button.tsx"
import { ChevronDown } from "../../../ui/icons.tsx"
import { ChevronUp } from "../../../ui/more-icons.tsx"

interface Props<Item> {
  list: readonly Item[]
  at: number
  name: string
  /** Items can be moved only within their group. */
  groupOf?: ((item: Item) => string) | undefined
  onChange(list: Item[]): void
}

/** Buttons that move a list item up or down. */
export function MoveButtons<Item>({ list, at, name, groupOf, onChange }: Props<Item>) {
  const isBlocked = (to: number) => {
    const [item, other] = [list[at], list[to]]
    return item === undefined || other === undefined || groupOf?.(item) !== groupOf?.(other)
  }
  return (
    <>
      <IconButton
        label={`Move ${name} up`}
        disabled={isBlocked(at - 1)}
        onClick={() => onChange(moved(list, at, at - 1))}
      >
        <ChevronUp size={16} aria-hidden />
      </IconButton>
      <IconButton
        label={`Move ${name} down`}
        disabled={isBlocked(at + 1)}
        onClick={() => onChange(moved(list, at, at + 1))}
      >
        <ChevronDown size={16} aria-hidden />
      </IconButton>
    </>
  )
}

export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  return list.toSpliced(from, 1).toSpliced(to, 0, ...list.slice(from, from + 1))
}
