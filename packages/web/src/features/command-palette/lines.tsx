import { useCommandState } from "cmdk"
import type { ReactNode } from "react"
import { SearchGroup } from "../../ui/search-dialog.tsx"

/** Returns an action that closes the palette first. */
export type Leaving = (act: () => void) => () => void

/** Shown as a group until something is typed, because the menu sorts items by how well they match, but not groups. */
export function Group({ heading, children }: { heading: string; children: ReactNode }) {
  const searching = useCommandState((state) => state.search !== "")
  return searching ? children : <SearchGroup heading={heading}>{children}</SearchGroup>
}
