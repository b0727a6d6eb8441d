import { Download, KeyRound, RotateCcw } from "lucide-react"
import { useState } from "react"
import { Link } from "wouter"
import { useBrowser, useStudio } from "../../session/context/studio.ts"
import { useListedSession } from "../../session/list/use-sessions.ts"
import { useModel } from "../../session/models/use-model.ts"
import { isRunning } from "../../session/stream/run.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { StatusIcon } from "../../ui/status-icon.tsx"
import { dayOf } from "../../ui/time.ts"
import { viewsOf } from "./kind-views.ts"
import { ResetDialog } from "./reset-dialog.tsx"
import { useDownload } from "./use-download.ts"

/** The session's views, and the actions on all of it. */
export function SessionTabs({ session, view }: { session: SessionStore; view: string }) {
  const { browser } = useStudio()
  const id = session.sessionId
  const [resetting, setResetting] = useState(false)
  const running = useSessionData(session, ({ live }) => isRunning(live.run))
  const fileCount = useSessionData(session, ({ live }) => live.files.manifest.files.length)
  const { provider } = useModel()
  const hasKey = useBrowser((state) => state.keyed.some((keyed) => keyed === provider))
  const download = useDownload(id)
  const line = useListedSession(id)
  const views = viewsOf(useSessionData(session, ({ live }) => live.run?.kind))
  return (
    <div className="flex h-10 items-center gap-1 border-b border-line px-2 max-md:h-12">
      <h1 className="unseen">{line?.name ?? "Session"}</h1>
      <nav aria-label="Views" className="flex h-full min-w-0 overflow-x-auto">
        {views.map(({ name, href, address }) => (
          <Link
            key={name}
            href={href(id)}
            aria-current={view.startsWith(address) ? "page" : undefined}
            className="flex items-center border-b-2 border-transparent px-3 text-sm -outline-offset-2 max-[360px]:px-2 text-ink-2 hover:text-ink aria-[current]:border-accent aria-[current]:font-semibold aria-[current]:text-ink"
          >
            {name}
          </Link>
        ))}
      </nav>
      <div className="ml-auto flex shrink-0 items-center gap-0.5">
        {line && (
          <span className="mr-2 text-xs text-ink-3 nums max-lg:hidden" title={`Session ${id}`}>
            Deleted after {dayOf(line.expires_at)} if unused
          </span>
        )}
        <IconButton
          label={hasKey ? "Model key: set" : "Model key: not set"}
          onClick={() => browser.setState({ dialog: "model-key", keyFor: null })}
          className={hasKey ? "text-accent" : undefined}
        >
          <KeyRound size={16} aria-hidden />
        </IconButton>
        <IconButton
          label="Reset: delete this session and start an empty one"
          onClick={() => setResetting(true)}
          data-agent-action="reset"
        >
          <RotateCcw size={16} aria-hidden />
        </IconButton>
        <Button
          size="sm"
          id="agent-download-button"
          data-agent-action="download-zip"
          disabled={fileCount === 0 || download.busy}
          onClick={download.start}
          className="ml-1"
        >
          {download.busy ? <StatusIcon state="busy" label={null} /> : <Download size={14} aria-hidden />}
          <span className="max-[360px]:unseen">{download.busy ? "Packing" : "Zip"}</span>
        </Button>
      </div>
      {resetting && <ResetDialog session={session} running={running} onClose={() => setResetting(false)} />}
    </div>
  )
}
