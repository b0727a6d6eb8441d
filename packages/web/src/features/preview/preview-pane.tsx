import { useRef, useState } from "react"
import { anything } from "../../api/decode.ts"
import { useRunActions } from "../../session/actions/use-run-actions.ts"
import { useStoredFlag } from "../../session/preferences/use-stored-flag.ts"
import { fileAt } from "../../session/stream/files.ts"
import { isRunning } from "../../session/stream/run.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Empty, Skeleton } from "../../ui/notice.tsx"
import { StartRefusal } from "../usage/start-refusal.tsx"
import { ConsolePanel } from "./console/console-panel.tsx"
import { fixPrompt } from "./console/console-rows.ts"
import { useConsole } from "./console/use-console.ts"
import { PreviewBar, type PreviewSource } from "./preview-bar.tsx"
import { type FrameWidth, PreviewFrame } from "./preview-frame.tsx"
import { ServerPanel } from "./server-panel.tsx"
import { type PreviewState, type ServerPreview, type ShownPage, usePreview } from "./use-preview.ts"

/** The files as a web page, as of the last commit or the moment shown. */
export function PreviewPane({ onOpen, onClose }: { onOpen(file: string): void; onClose?(): void }) {
  const { sessionId, api } = useShownSession()
  /** True if the session's pages may load content from other sites. */
  const [external, setExternal] = useStoredFlag(sessionStorage, `switchyard.preview.external.${sessionId}`)
  const [reloads, setReloads] = useState(0)
  const [width, setWidth] = useState<FrameWidth>(null)
  const [consoleShown, setConsoleShown] = useState(false)
  const frame = useRef<HTMLIFrameElement>(null)
  const { page, server, seq } = usePreview(external)
  const [chosen, setChosen] = useState<PreviewSource | null>(null)
  const source = server === null ? "files" : (chosen ?? (page.state === "shown" ? "files" : "server"))
  const live = useSessionData(({ live }) => live.server)
  const version = useSessionData(({ shown }) => shown.files.version)
  const running = server && shownServer(server, { seq, version })
  const shown = source === "server" ? running : page.state === "shown" ? page : null
  const document = shown ? `${shown.url} ${shown.version} ${reloads}` : ""
  const view = useConsole(frame, shown, document)
  const files = useSessionData(({ shown }) => shown.files)
  const fix = useFix()
  const stop = () =>
    void api.call("DELETE /api/v1/sessions/{id}/preview/server", { path: { id: sessionId }, response: anything })
  return (
    <section
      aria-label="Preview"
      data-region="preview"
      tabIndex={-1}
      className="grid h-full min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto]"
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
        onReload={() => setReloads(reloads + 1)}
        onStop={shown && shown === running ? stop : undefined}
        onClose={onClose}
      />
      {shown ? (
        <PreviewFrame ref={frame} page={shown} document={document} width={width} />
      ) : source === "server" && server ? (
        <ServerPanel
          server={server}
          view={live}
          seq={seq}
          version={version}
          onFix={fix.start}
          fixBlocked={fix.blocked}
        />
      ) : (
        <Missing {...page} />
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
            onFix={fix.start && ((row) => fix.start?.(fixPrompt(row)))}
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
  return url !== null && version !== null && fits ? { url, root: url, opaque: false, version, seq: moment.seq } : null
}

/** Asks the coder for a fix, as a run on the existing files. */
function useFix() {
  const { start, starting, error } = useRunActions()
  const run = useSessionData(({ live }) => live.run)
  const readOnly = useReadOnly()
  const blocked = isRunning(run) || starting ? "Available when the run has ended" : readOnly
  // A command-line agent is asked in its own terminal instead.
  const asksCoder = run === null || run.agent === null
  return { start: asksCoder ? (prompt: string) => void start("continue", prompt) : undefined, blocked, error }
}

function Missing(preview: PreviewState) {
  if (preview.state === "loading") return <Skeleton lines={6} />
  if (preview.state === "none") return <Empty title="Nothing to preview">{preview.reason}</Empty>
  if (preview.state === "shown") return null
  return (
    <Empty title="The preview can't be loaded">
      <p>{preview.message}</p>
      <Button size="sm" className="mt-2" onClick={preview.retry}>
        Try again
      </Button>
    </Empty>
  )
}
