import { Button } from "./button.tsx"
import { Notice, Skeleton } from "./notice.tsx"
import { useDelay } from "./use-delay.ts"

interface Props {
  list: { error: Error | null; isPending: boolean; refetch(): unknown }
  /** Number of placeholder lines. */
  lines?: number
}

/**
 * Shown instead of a list that isn't loaded: placeholder lines if loading takes a moment, or the error and a retry
 * button.
 */
export function UnloadedList({ list, lines }: Props) {
  const late = useDelay(300)
  if (list.error) {
    return (
      <Notice tone="err">
        <p>{list.error.message}</p>
        <Button size="sm" className="mt-2" onClick={() => void list.refetch()}>
          Retry
        </Button>
      </Notice>
    )
  }
  return list.isPending && late && <Skeleton lines={lines} />
}

/** The same for a whole section. */
export function UnloadedSection(props: Props) {
  return (
    <div className="border-t border-line pt-5">
      <UnloadedList {...props} />
    </div>
  )
}
