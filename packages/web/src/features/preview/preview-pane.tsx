import { type ReactNode, useRef, useState } from "react"
import { useStoredFlag } from "../../session/preferences/use-stored-flag.ts"
import { fileAt } from "../../session/stream/files.ts"
import { isRunning } from "../../session/stream/run.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Empty, Skeleton } from "../../ui/notice.tsx"
import { StartRefusal } from "../usage/start-refusal.tsx"
import { ConsolePanel } from "./console/console-panel.tsx"
import { fixPrompt } from "./console/console-rows.ts"
import { PageProblems } from "./console/page-problems.tsx"
import { useConsole } from "./console/use-console.ts"
import { AttachedNotice } from "./inspect/attached-notice.tsx"
import { InspectorOverlay } from "./inspect/inspector-overlay.tsx"
import { useElementSelection } from "./inspect/use-element-selection.ts"
import { NeedsBuild } from "./needs-build.tsx"
import { PreviewBar, type PreviewSource } from "./preview-bar.tsx"
import { type FrameWidth, PreviewFrame } from "./preview-frame.tsx"
import { ServerPanel } from "./server-panel.tsx"
import { useFix } from "./use-fix.ts"
import { type PreviewState, type ServerPreview, type ShownPage, usePreview } from "./use-preview.ts"
import { useServer } from "./use-server.ts"

interface Props {
  onOpen(file: string): void
  /** Returns what to show if there is nothing to preview, given the reason. */
  missing?(reason: string): ReactNode
  /** Starts the checks, which build the page. */
  checks?: ReactNode
}

/** The files as a web page, as of the last commit or the moment shown. */
export function PreviewPane({ onOpen, missing, checks }: Props) {
  const { sessionId } = useShownSession()
  /** True if the session's pages may load content from other sites. */
  const [external, setExternal] = useStoredFlag(sessionStorage, `switchyard.preview.external.${sessionId}`)
  const [reloads, setReloads] = useState(0)
  const [width, setWidth] = useState<FrameWidth>(null)
  const [consoleShown, setConsoleShown] = useState(false)
  const frame = useRef<HTMLIFrameElement>(null)
  const { page, server, seq } = usePreview(external)
  const [chosen, setChosen] = useState<PreviewSource | null>(null)
  const needsBuild = page.state === "none" && page.needsBuild
  const isServed =
    server !== null && page.state !== "shown" && !(needsBuild && (server.reason !== null || seq !== null))
  const source = server === null ? "files" : (chosen ?? (isServed ? "server" : "files"))
  const live = useSessionData(({ live }) => live.server)
  const isBusy = useSessionData(({ shown }) => isRunning(shown.run))
  const version = useSessionData(({ shown }) => shown.files.version)
  const running = server && shownServer(server, { seq, version })
  const shown = source === "server" ? running : page.state === "shown" ? page : null
  const document = shown ? `${shown.url} ${shown.version} ${reloads}` : ""
  const view = useConsole(frame, shown, document)
  const files = useSessionData(({ shown }) => shown.files)
  const fix = useFix()
  const isPageless = shown === running && live.stage === "ready" && !live.page
  const [loads, setLoads] = useState(0)
  const about = { page: isPageless ? null : shown, isServer: source === "server" || shown?.built === true, loads }
  const selection = useElementSelection(frame, about, fix.takesElements)
  const control = useServer(server, { wanted: source === "server", seq })
  // Before its first run has ended, a server would only show part of the app.
  const isEarly = server === null || (isBusy && live.stage === "none" && live.end === null)
  if (page.state === "none" && isEarly && missing && (isBusy || !needsBuild)) return missing(page.reason)
  return (
    <section
      aria-label="Preview"
      data-region="preview"
      tabIndex={-1}
      className="grid h-full min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_minmax(0,1fr)_auto]"
    >
      <PreviewBar
        page={shown}
        source={server && { chosen: source, choose: setChosen }}
        path={view.path}
        earlier={shown?.seq == null ? null : shown.version}
        width={width}
        onWidth={setWidth}
        errors={view.rows.length}
        consoleShown={consoleShown}
        onConsole={() => setConsoleShown(!consoleShown)}
        selection={selection}
        onReload={() => setReloads(reloads + 1)}
        onStop={shown && shown === running ? control.stop : undefined}
      />
      <div>
        <AttachedNotice sessionId={sessionId} />
        {!consoleShown && (
          <PageProblems
            rows={view.rows}
            onShow={() => setConsoleShown(true)}
            onFix={fix.start}
            fixBlocked={fix.blocked}
          />
        )}
      </div>
      {shown && !isPageless ? (
        <PreviewFrame
          ref={frame}
          page={shown}
          document={document}
          width={width}
          onLoad={() => setLoads(loads + 1)}
          overlay={
            selection.selecting && <InspectorOverlay inspector={selection.inspector} onLeave={selection.leave} />
          }
        />
      ) : source === "server" && server ? (
        <ServerPanel
          server={server}
          control={control}
          view={live}
          seq={seq}
          version={version}
          onFix={fix.start}
          fixBlocked={fix.blocked}
        />
      ) : (
        <Missing preview={page} isEarlier={seq !== null} checks={checks} />
      )}
      {consoleShown && (
        <div className="flex max-h-52 min-h-0 flex-col border-t border-line bg-paper">
          {fix.error !== null && <StartRefusal error={fix.error} />}
          <ConsolePanel
            view={view}
            opaque={shown?.opaque ?? false}
            external={external}
            onExternal={setExternal}
            onOpen={(file) => (fileAt(files, file) ? () => onOpen(file) : undefined)}
            onFix={fix.start && ((row) => fix.start?.(fixPrompt([row])))}
            fixBlocked={fix.blocked}
          />
        </div>
      )}
    </section>
  )
}

/**
 * Returns the server as a page to show: in a replay, only if it runs that moment's version; live, whichever version
 * runs.
 */
function shownServer(
  { url, version }: ServerPreview,
  moment: { seq: number | null; version: number },
): ShownPage | null {
  const fits = moment.seq === null || version === moment.version
  if (url === null || version === null || !fits) return null
  return { url, root: url, opaque: false, built: false, version, seq: moment.seq }
}

interface MissingProps {
  preview: PreviewState
  isEarlier: boolean
  checks: ReactNode
}

function Missing({ preview, isEarlier, checks }: MissingProps) {
  if (preview.state === "loading") return <Skeleton lines={6} />
  if (preview.state === "none" && preview.needsBuild)
    return <NeedsBuild reason={preview.reason} isEarlier={isEarlier} checks={checks} />
  if (preview.state === "none") return <Empty title="Nothing to preview">{preview.reason}</Empty>
  if (preview.state === "shown") return null
  return (
    <Empty title="Couldn't load the preview">
      <p>{preview.message}</p>
      <Button size="sm" className="mt-2" onClick={preview.retry}>
        Try again
      </Button>
    </Empty>
  )
}
