import type { ReactNode } from "react"
import { isRunning } from "../../session/stream/run.ts"
import { useReadOnly, useSessionData } from "../../session/view/use-session.ts"
import { Empty } from "../../ui/notice.tsx"

interface Props {
  /** Why the page can't be shown. */
  reason: string
  /** True in a replay. Checks only build the latest version. */
  isEarlier: boolean
  /** Starts the checks. */
  checks: ReactNode
}

/** Takes the place of a page that browsers can't run before it is built. */
export function NeedsBuild({ reason, isEarlier, checks }: Props) {
  const isBusy = useSessionData(({ live }) => isRunning(live.run))
  const status = useSessionData(({ live }) => live.conversation.at(-1)?.check?.status)
  const mayCheck = useReadOnly() === null && !isBusy && !isEarlier
  if (status === "running" && !isEarlier)
    return <Empty title="Building the app…">Checks are running. Your app will appear here once it's built.</Empty>
  return (
    <Empty title="This app needs to be built first">
      <p>{reason}</p>
      {mayCheck && status === "failed" && <p>The last checks failed. See the conversation for details.</p>}
      {mayCheck && <div className="mt-1 grid justify-items-center text-left">{checks}</div>}
    </Empty>
  )
}
