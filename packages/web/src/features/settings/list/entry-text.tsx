import type { ReactNode } from "react"

interface Props {
  name: string
  /** Follows the name. */
  more?: ReactNode
  facts: string
  /** Follows the facts. */
  children?: ReactNode
}

/** An entry's name and facts, in a list of settings. */
export function EntryText({ name, more, facts, children }: Props) {
  return (
    <div className="min-w-0 flex-1 basis-60">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="min-w-0 font-semibold wrap-anywhere">{name}</span>
        {more}
      </p>
      <p className="text-sm wrap-anywhere text-ink-3 nums">{facts}</p>
      {children}
    </div>
  )
}
